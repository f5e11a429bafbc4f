const CENTRAL_ENTRY = 0x02014b50;
const CENTRAL_ENTRY_BYTES = 46;

/** Names of the files in a zip archive, sorted, read from its central directory (PKWARE's APPNOTE 4.3.12). */
export function namesInZip(zip: Buffer): readonly string[] {
  const names: string[] = [];
  for (let at = zip.indexOf('PK\u0001\u0002'); at >= 0 && zip.readUInt32LE(at) === CENTRAL_ENTRY; ) {
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    const end = at + CENTRAL_ENTRY_BYTES + (nameBytes ?? 0);
    names.push(zip.toString('utf8', at + CENTRAL_ENTRY_BYTES, end));
    at = end + (extraBytes ?? 0) + (commentBytes ?? 0);
  }
  return names.toSorted();
}
