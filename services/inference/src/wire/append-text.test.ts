import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { appendText } from './append-text.ts'

/** Bytes that are in use after garbage is collected. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

it('takes little more memory than the text, however many pieces it has', () => {
  const before = usedBytes()
  let text = ''
  let expected = 0
  for (let index = 0; index < 400_000; index += 1) {
    const piece = `w${index % 1_000} `
    text = appendText(text, piece)
    expected += piece.length
  }
  expect(text).toHaveLength(expected)
  expect(text.startsWith('w0 w1 w2 ')).toBe(true)
  // As a tree of its pieces it takes 25 MB.
  expect(usedBytes() - before).toBeLessThan(4 * expected)
})
