/**
 * What the container's /bin/sh does around a command, so that more than a terminal's bytes comes through the terminal.
 * It runs in dash, bash and busybox, and is one line without single quotes. Records stand in the output: RS (0x1e), the
 * random marker, a letter, a text, a newline. Each is one write of less than 1 KiB, which a terminal takes as a whole, so
 * that nothing comes between.
 *
 * | record | says |
 * |---|---|
 * | `s` | about to start; then `1` or `0`: whether `stty` has set up the terminal (else newlines come as CR LF), and how standard output comes: `g`, `b`, `h` or `r` |
 * | `g` | with a terminal: the command starts, what follows is its output |
 * | `n` | there is no such command |
 * | `t` | input was wanted, but `stty` or `cat` is missing |
 * | `e`, `h` | a piece of standard error, in base64 or hexadecimal |
 * | `r` | the command has ended: no more input; its output may still come |
 * | `x` and a number | all output has come; the exit code |
 *
 * Without a terminal the bytes between the records are standard output in pieces that end with a semicolon: base64 of
 * gzip (`g`), base64 (`b`), hexadecimal (`h`), or as it is (`r`) where the image has no tool for any of them: an agent
 * takes two bytes out of every U+FFFD, and can hold back the last three.
 *
 * After the last record it waits for a line that ends with RS and the marker, for a minute at most: an agent sends
 * nothing again once the command has ended, so that the end of the output could be lost.
 */
const COMMON = [
  'M=$(printf "\\036%s" "$1"); unset IFS;',
  'r() { printf "%s%s\\n" "$M" "$1"; };',
  'h() { command -v "$1" >/dev/null 2>&1; };',
  // What `exec` would find, without the shell's own commands.
  'f() { case $1 in */*) [ -f "$1" ] && [ -x "$1" ];;',
  '*) ( IFS=:; set -f; for d in ${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}; do',
  '[ -f "${d:-.}/$1" ] && [ -x "${d:-.}/$1" ] && exit 0; done; exit 1 );; esac; };',
  // The one who ends the waiting is waited for: where nobody else does, a zombie would stay of it and of its sleep.
  'w() { ( trap "kill \\$!; wait; exit" TERM; sleep 60 & wait $! && kill -9 $$ ) >/dev/null 2>&1 </dev/null & k=$!;',
  'n=0; while [ $n -lt 9999 ]; do n=$((n+1)); read -r l; case $l in *"$M") break;; esac; done; kill $k; wait $k; };',
  'S=0;',
];

/** Arguments: marker, then the command. The start waits for a line, which comes once the terminal has its size. */
const TERMINAL_SCRIPT = [
  ...COMMON,
  'shift; exec 3>&2 2>/dev/null; stty -echo && S=1;',
  'if f "$1"; then r s$S; read -r l; [ $S = 1 ] && stty echo; trap : INT QUIT; r g; ( exec "$@" 2>&3 3>&- ); C=$?;',
  '[ $S = 1 ] && stty -echo; r x$C; else r n; fi; w',
].join(' ');

/**
 * Arguments: marker, 1 where there is input, then the command. Input comes in canonical mode, where Ctrl-V takes the next
 * byte as it is and Ctrl-D hands over what has come (alone: the end of input). Ctrl-C ends everything. Ctrl-S and Ctrl-Q
 * hold the output back where there is no input: kernels look for them ahead, also behind a Ctrl-V.
 */
const PLAIN_SCRIPT = [
  ...COMMON,
  'I=$2; shift 2; exec 3>&1 2>/dev/null; X=ixon; [ $I = 1 ] && X=-ixon;',
  'stty -echo -icrnl -inlcr -igncr -istrip -opost $X -ixany isig icanon iexten',
  'intr "^C" quit undef susp undef eof "^D" lnext "^V" && S=1;',
  'Z=; K=r; if h dd && h base64; then K=b; Z=$(gzip -cn1 </dev/null | base64); [ "$Z" ] && K=g;',
  'elif h dd && h od; then K=h; fi; L=e; [ $K = h ] && L=h;',
  'd() { if [ $K = h ]; then od -An -v -tx1; else base64; fi; };',
  'q() { if [ $K = g ]; then gzip -cn1 | base64; else d; fi; };',
  'o() { while c=$(dd bs=49152 count=1 | q); [ "$c" ] && [ "$c" != "$Z" ]; do printf "%s;" "$c"; done; };',
  // Nine lines a record.
  'e() { N=$(printf "\\nx"); IFS=${N%x}; while c=$(dd bs=5040 count=1 | d); [ "$c" ]; do set -- $c; while [ "$1" ]; do',
  'printf "%s%s%s\\n" "$M" $L "$1$2$3$4$5$6$7$8$9"; [ $# -gt 9 ] && shift 9 || set --; done; done; };',
  'x() { ( exec "$@" 2>&5 3>&- 4>&- 5>&- ); echo $? >&4; [ $I = 1 ] && r r >&3; };',
  'p() { if [ $I = 1 ]; then cat 3>&- 4>&- 5>&- | x "$@"; else x "$@" </dev/null; fi; };',
  'if ! f "$1"; then r n; elif [ $I = 1 ] && { [ $S = 0 ] || ! h cat; }; then r t; else r s$S$K;',
  'if [ $K != r ]; then C=$({ { p "$@" | o >&3 4>&- 5>&-; } 5>&1 | e >&3 4>&-; } 4>&1);',
  'elif h cat; then C=$({ p "$@" 5>&1 | cat >&3 4>&-; } 4>&1);',
  'else C=$(p "$@" 4>&1 >&3 5>&3); fi;',
  'r x$C; fi; w',
].join(' ');

/** The words that run `command` within the script, for an agent that splits and executes them. */
export const wrapCommand = (
  command: readonly string[],
  { marker, tty, stdin }: { readonly marker: string; readonly tty: boolean; readonly stdin: boolean },
): readonly string[] =>
  tty
    ? [SHELL, '-c', TERMINAL_SCRIPT, 'svk', marker, ...command]
    : [SHELL, '-c', PLAIN_SCRIPT, 'svk', marker, stdin ? '1' : '0', ...command];

export const SHELL = '/bin/sh';
