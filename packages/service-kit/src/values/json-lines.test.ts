import fc from 'fast-check'
import { jsonLines, LineTooLong, type TextLine } from './json-lines.ts'

async function* of(chunks: readonly Uint8Array[]) {
  yield* chunks
}

async function linesOf(chunks: readonly Uint8Array[], maxLineBytes = 1_000): Promise<readonly TextLine[]> {
  const lines: TextLine[] = []
  for await (const line of jsonLines(of(chunks), maxLineBytes)) lines.push(line)
  return lines
}

it('reads the same lines for any division into chunks', async () => {
  const text = '\uFEFF{"a":"é"}\r\n\n  \n{"b":"🎈"}\n{"c":1}'
  const expected = [
    { number: 1, text: '{"a":"é"}' },
    { number: 4, text: '{"b":"🎈"}' },
    { number: 5, text: '{"c":1}' },
  ]
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(60)), async (cuts) => {
      const bytes = Buffer.from(text)
      const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
      const chunks = places.slice(1).map((to, n) => bytes.subarray(places[n], to))
      expect(await linesOf(chunks)).toEqual(expected)
    }),
  )
})

it('throws at a line that is too long, whether or not it ends', async () => {
  const chunks = [Buffer.from('ok\n'), Buffer.from('xxxxxx'), Buffer.from('xxxxxx')]
  await expect(linesOf(chunks, 10)).rejects.toEqual(new LineTooLong(2))
  await expect(linesOf([...chunks, Buffer.from('\n')], 10)).rejects.toMatchObject({ lineNumber: 2 })
})
