/** How Postgres's binary protocol writes the values of a type. */
export interface BinaryType<T> {
  readonly oid: number
  /** Bytes of a value. */
  readonly sizeOf: (value: T) => number
  /** Writes a value at an offset. */
  readonly write: (buffer: Buffer, value: T, offset: number) => void
}

/**
 * An array parameter in Postgres's binary format. node-postgres sends a Buffer as a binary value, while it escapes each
 * text of an array by a regular expression, and Postgres reads that character by character. The statement must cast the
 * parameter to an array of exactly this type.
 *
 * @see https://github.com/postgres/postgres/blob/REL_18_STABLE/src/backend/utils/adt/arrayfuncs.c array_recv
 */
export function binaryArray<T>({ oid, sizeOf, write }: BinaryType<T>, values: readonly (T | null)[]): Buffer {
  let bytes = headerBytes
  for (const value of values) bytes += 4 + (value === null ? 0 : sizeOf(value))
  const buffer = Buffer.allocUnsafe(bytes)
  writeHeader(buffer, { oid, length: values.length, hasNulls: values.includes(null) })
  let offset = headerBytes
  for (const value of values) {
    const size = value === null ? nullSize : sizeOf(value)
    buffer.writeInt32BE(size, offset)
    offset += 4
    if (value === null) continue
    write(buffer, value, offset)
    offset += size
  }
  return buffer
}

/** {@link binaryArray} for the numbers of several lists, without a BigInt for each. */
export function bigintArray(lists: readonly BigInt64Array[]): Buffer {
  const length = lists.reduce((sum, list) => sum + list.length, 0)
  const buffer = Buffer.allocUnsafe(headerBytes + 12 * length)
  writeHeader(buffer, { oid: binaryTypes.bigint.oid, length, hasNulls: false })
  const view = new DataView(buffer.buffer, buffer.byteOffset + headerBytes, 12 * length)
  let offset = 0
  for (const list of lists) {
    const halves = new Int32Array(list.buffer, list.byteOffset, list.length * 2)
    for (let low = 0; low < halves.length; low += 2) {
      view.setInt32(offset, 8)
      view.setInt32(offset + 4, halves[low + 1] as number)
      view.setInt32(offset + 8, halves[low] as number)
      offset += 12
    }
  }
  return buffer
}

const headerBytes = 20
/** The size that stands for null. */
const nullSize = -1

interface Header {
  readonly oid: number
  readonly length: number
  readonly hasNulls: boolean
}

/** One dimension, whose indexes begin with 1. */
function writeHeader(buffer: Buffer, { oid, length, hasNulls }: Header): void {
  buffer.writeInt32BE(1, 0)
  buffer.writeInt32BE(hasNulls ? 1 : 0, 4)
  buffer.writeInt32BE(oid, 8)
  buffer.writeInt32BE(length, 12)
  buffer.writeInt32BE(1, 16)
}

function fixedSize<T>(oid: number, size: number, write: BinaryType<T>['write']): BinaryType<T> {
  return { oid, sizeOf: () => size, write }
}

/** Microseconds since 2000 are the times of Postgres. */
const postgresEpochMs = Date.UTC(2000, 0, 1)

/** Types by their names in Postgres. Their OIDs are the same in every database. */
export const binaryTypes = {
  boolean: fixedSize<boolean>(16, 1, (buffer, value, offset) => buffer.writeUInt8(value ? 1 : 0, offset)),
  integer: fixedSize<number>(23, 4, (buffer, value, offset) => buffer.writeInt32BE(wholeNumber(value), offset)),
  bigint: fixedSize<bigint>(20, 8, (buffer, value, offset) => buffer.writeBigInt64BE(value, offset)),
  'double precision': fixedSize<number>(701, 8, (buffer, value, offset) => buffer.writeDoubleBE(value, offset)),
  timestamptz: fixedSize<Date>(1184, 8, (buffer, value, offset) =>
    buffer.writeBigInt64BE(BigInt(value.getTime() - postgresEpochMs) * 1_000n, offset),
  ),
  uuid: fixedSize<string>(2950, 16, (buffer, value, offset) => buffer.write(value.replaceAll('-', ''), offset, 'hex')),
  text: {
    oid: 25,
    sizeOf: (value) => Buffer.byteLength(value),
    write: (buffer, value, offset) => buffer.write(value, offset),
  } satisfies BinaryType<string>,
  bytea: {
    oid: 17,
    sizeOf: (value) => value.length,
    write: (buffer, value, offset) => buffer.set(value, offset),
  } satisfies BinaryType<Uint8Array>,
} as const

/** `writeInt32BE` refuses numbers that are too large, but cuts off fractions. */
function wholeNumber(value: number): number {
  if (Number.isInteger(value)) return value
  throw new RangeError(`not a whole number: ${value}`)
}
