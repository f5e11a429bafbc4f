/** One member of an archive. Paths are relative; folders are made by name. */
export type TarMember =
  | { readonly kind: 'file'; readonly path: string; readonly mode: number; readonly content: Uint8Array }
  | { readonly kind: 'folder'; readonly path: string; readonly mode: number }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

const typeFlags = { file: '0', link: '2', folder: '5' } as const;
const blockBytes = 512;

/**
 * A POSIX (ustar) archive, owned by root, dated 1970: equal members give equal bytes.
 * @throws {Error} for a path or link target above 100 bytes.
 */
export const tarOf = (members: readonly TarMember[]): Buffer =>
  Buffer.concat([...members.flatMap(blocksOf), Buffer.alloc(2 * blockBytes)]);

const blocksOf = (member: TarMember): readonly Buffer[] => {
  const content = member.kind === 'file' ? Buffer.from(member.content) : Buffer.alloc(0);
  const padding = (blockBytes - (content.length % blockBytes)) % blockBytes;
  return [headOf(member, content.length), content, Buffer.alloc(padding)];
};

const headOf = (member: TarMember, size: number): Buffer => {
  const target = member.kind === 'link' ? member.target : '';
  if (Buffer.byteLength(member.path) > 100 || Buffer.byteLength(target) > 100) {
    throw new Error(`tar: "${member.path}" or its target is longer than 100 bytes`);
  }
  const head = Buffer.alloc(blockBytes);
  const octal = (value: number, offset: number, length: number): void => {
    head.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset);
  };
  head.write(member.path, 0);
  octal(member.kind === 'link' ? 0o777 : member.mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  head.write('        ', 148);
  head.write(typeFlags[member.kind], 156);
  head.write(target, 157);
  head.write('ustar\u000000', 257);
  octal(
    head.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return head;
};
