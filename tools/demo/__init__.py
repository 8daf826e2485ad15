"""From one product photo to marketing pictures, through the public API only."""
