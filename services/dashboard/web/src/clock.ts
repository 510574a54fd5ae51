/** The only file of the page that reads the clock and makes random ids; pure functions take both as arguments. */
export function now(): number {
  return Date.now()
}

/** A random UUID. `crypto.randomUUID` does not exist on pages of plain http, where the demo may run. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = [...bytes].map((byte, index) => uuidByte(byte, index).toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Sets the bits of version 4 and its variant. */
function uuidByte(byte: number, index: number): number {
  if (index === 6) return (byte & 0x0f) | 0x40
  return index === 8 ? (byte & 0x3f) | 0x80 : byte
}
