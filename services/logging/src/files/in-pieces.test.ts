import fc from 'fast-check'
import { inPieces } from './in-pieces.ts'

async function* of(chunks: readonly Uint8Array[]) {
  yield* chunks
}

it('returns the same bytes in pieces of at least the size, except the last', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 30 })),
      fc.integer({ min: 1, max: 50 }),
      async (chunks, size) => {
        const pieces: Buffer[] = []
        for await (const piece of inPieces(of(chunks), size)) pieces.push(piece)
        expect(Buffer.concat(pieces).equals(Buffer.concat(chunks))).toBe(true)
        expect(pieces.slice(0, -1).every(({ length }) => length >= size)).toBe(true)
      },
    ),
  )
})
