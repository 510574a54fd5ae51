import fc from 'fast-check'
import { clientNetwork } from './client-network.ts'

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:192.0.2.7', '192.0.2.7'],
  ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:0:1::', '2001:db8:0:1::/64'],
  ['2001:db8:0:1:aaaa:bbbb:cccc:dddd', '2001:db8:0:1::/64'],
  ['2001:0DB8:0000:0001::1', '2001:db8:0:1::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:0:2::1', '2001:db8:0:2::/64'],
  ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
])('counts %s as %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network)
})

it.each(['', 'unknown', '1.2.3', '1.2.3.4, 5.6.7.8', '[::1]', ':::', '2001:db8::1/64'])(
  'has no network for %p',
  (text) => {
    expect(clientNetwork(text)).toBeNull()
  },
)

it('counts all addresses of a network as one, and those of two networks apart', () => {
  const group = fc.integer({ min: 0, max: 0xffff })
  const half = fc.array(group, { minLength: 4, maxLength: 4 })
  const text = (groups: number[]) => groups.map((each) => each.toString(16)).join(':')
  fc.assert(
    fc.property(half, half, half, half, (network, own, other, foreign) => {
      expect(clientNetwork(text([...network, ...own]))).toBe(clientNetwork(text([...network, ...other])))
      const isSame = text(network) === text(foreign)
      expect(clientNetwork(text([...network, ...own])) === clientNetwork(text([...foreign, ...own]))).toBe(isSame)
    }),
  )
})
