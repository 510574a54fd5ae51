import { tokenLines } from './token-lines.ts'

it('writes each token in base64 with its number', () => {
  const long = Buffer.alloc(130, 97)
  const file = Buffer.concat([Buffer.from([3]), Buffer.from('<s>'), Buffer.from([0]), Buffer.from([130, 1]), long])
  expect(tokenLines(file)).toBe(`PHM+ 0\n 1\n${long.toString('base64')} 2\n`)
})

it('refuses a file that ends inside a token', () => {
  expect(() => tokenLines(Buffer.from([5, 97]))).toThrow(RangeError)
})
