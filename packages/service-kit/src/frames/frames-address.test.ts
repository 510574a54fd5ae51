import { isSocketPath, parseFramesAddress } from './frames-address.ts'

it.each([
  ['unix:/data/inference.sock', { path: '/data/inference.sock' }],
  ['tcp://inference:9081', { host: 'inference', port: 9_081 }],
  ['tcp://[::1]:0', { host: '::1', port: 0 }],
])('reads %s', (text, address) => {
  expect(parseFramesAddress(text)).toEqual(address)
})

it.each(['', 'http://x:1', 'unix:relative', 'tcp://x', 'tcp://x:70000', `unix:/${'x'.repeat(92)}`])(
  'refuses %j',
  (text) => {
    expect(() => parseFramesAddress(text)).toThrow(RangeError)
  },
)

it('knows paths that an operating system accepts', () => {
  expect(isSocketPath(`/${'x'.repeat(91)}`)).toBe(true)
  expect(isSocketPath(`/${'é'.repeat(46)}`)).toBe(false)
})
