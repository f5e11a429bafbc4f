/** Size of a terminal in character cells. Zero means that it is not known. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}
