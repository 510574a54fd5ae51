import { createHash } from 'node:crypto'
import { Readable, Transform } from 'node:stream'
import type { Content } from './artifact-store.ts'

/** Passes bytes on, and fails at their end when they are not what was announced. */
export function checkedBytes(content: Content): Transform {
  const hash = createHash('sha256')
  let bytes = 0
  const different = () => new RangeError('the bytes are not the announced ones')
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      hash.update(chunk)
      if (bytes > content.bytes) done(different())
      else done(null, chunk)
    },
    flush(done) {
      done(isSameContent({ sha256: hash.digest('hex'), bytes }, content) ? null : different())
    },
  })
}

const pieceBytes = 262_144

/** Bytes in pieces, each of which takes about a millisecond to hash. */
export function streamOf(bytes: Buffer | Readable): Readable {
  return Buffer.isBuffer(bytes) ? Readable.from(piecesOf(bytes)) : bytes
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += pieceBytes) yield bytes.subarray(from, from + pieceBytes)
}

function isSameContent(one: Content, other: Content): boolean {
  return one.sha256 === other.sha256 && one.bytes === other.bytes
}
