#!/bin/sh
# One hand-written ffmpeg command for the film that bench.py exports: the same files, filters,
# preset and threads. Run it in the folder that bench.py has filled; FFMPEG is the program.
set -eu

CUT="-threads 2 -ss 0.25 -t 5.5"
PICTURE="fps=24:start_time=0,format=yuv420p,scale=1080:1920,setsar=1,trim=end_frame=130"
STEREO="aresample=48000:async=1:first_pts=0,aformat=sample_fmts=fltp:channel_layouts=stereo"
IN="afade=t=in:ns=24000:curve=qsin"
OUT="afade=t=out:ss=236000:ns=24000:curve=qsin"

exec "$FFMPEG" -hide_banner -nostdin -nostats -loglevel error -y \
  $CUT -i clip-0 $CUT -i clip-1 $CUT -i clip-2 $CUT -i clip-3 $CUT -i clip-4 $CUT -i clip-5 \
  -i voice-0 -i voice-1 -i voice-2 -stream_loop -1 -i music \
  -filter_complex_threads "$THREADS" -filter_complex "
    [0:v]$PICTURE[p0]; [1:v]$PICTURE[p1]; [2:v]$PICTURE[p2];
    [3:v]$PICTURE[p3]; [4:v]$PICTURE[p4]; [5:v]$PICTURE[p5];
    [p0][p1]xfade=fade:0.5:4.916667[x1];
    [x1][p2]xfade=dissolve:0.5:9.833333[x2];
    [x2][p3]xfade=wipeleft:0.5:14.75[x3];
    [x3][p4]xfade=slideleft:0.5:19.666667[x4];
    [x4][p5]xfade=fade:0.5:24.583333[x5];
    [x5]ass=subtitles.ass:fontsdir=fonts,format=yuv420p[picture];
    [0:a]$STEREO,atrim=end_sample=260000,$OUT[a0];
    [1:a]$STEREO,atrim=end_sample=260000,$IN,$OUT,adelay=236000S:all=1[a1];
    [2:a]$STEREO,atrim=end_sample=260000,$IN,$OUT,adelay=472000S:all=1[a2];
    [3:a]$STEREO,atrim=end_sample=260000,$IN,$OUT,adelay=708000S:all=1[a3];
    [4:a]$STEREO,atrim=end_sample=260000,$IN,$OUT,adelay=944000S:all=1[a4];
    [5:a]$STEREO,atrim=end_sample=260000,$IN,adelay=1180000S:all=1[a5];
    [6:a]$STEREO,adelay=48000S:all=1[v0];
    [7:a]$STEREO,adelay=528000S:all=1[v1];
    [8:a]$STEREO,adelay=1008000S:all=1[v2];
    [v0][v1][v2]amix=3:normalize=0,apad=whole_len=1440000,asplit[voice][key];
    [9:a]aresample=48000,aformat=sample_fmts=fltp:channel_layouts=stereo,asetpts=N/SR/TB,volume=0.3,
      atrim=end_sample=1440000,afade=t=in:d=1,afade=t=out:st=28:d=2[music];
    [music][key]sidechaincompress=threshold=0.015:ratio=8:attack=20:release=500[ducked];
    [a0][a1][a2][a3][a4][a5][voice][ducked]amix=8:normalize=0,atrim=end_sample=1440000,
      volume=4dB,alimiter=limit=0.84:attack=5:release=50:level=false[sound]" \
  -map "[picture]" -map "[sound]" -map_metadata -1 \
  -c:v libx264 -preset veryfast -crf 20 -profile:v high -g 48 -threads "$THREADS" \
  -c:a aac -b:a 192k -ar 48000 -ac 2 -t 30 -movflags +faststart -f mp4 by-hand.mp4
