import { parseLedgerUrls } from './ledger-urls.ts'

const b = 'postgres://u:p%2Cw@b.example:5433/ratchet'
const c = 'postgresql://c.example/ratchet'

it('reads the databases of ledgers by their names', () => {
  expect([...parseLedgerUrls(`b=${b}, c=${c}`)]).toEqual([
    ['b', b],
    ['c', c],
  ])
})

it.each([
  ['nothing', ''],
  ['a URL without a name', b],
  ['a name that is not one', `B=${b}`],
  ['another kind of URL', 'b=mysql://b.example/ratchet'],
  ['the name of the main ledger', `main=${b}`],
  ['a name twice', `b=${b},b=${c}`],
  ['a database twice', `b=${c},c=postgres://other@c.example:5432/ratchet`],
])('refuses %s, without showing a password', (_, text) => {
  expect(() => parseLedgerUrls(text)).toThrow(RangeError)
  expect(() => parseLedgerUrls(text)).not.toThrow('p%2Cw')
})

it('refuses the main database under another name', () => {
  expect(() => parseLedgerUrls(`c=${c}`, 'postgres://u@c.example/ratchet')).toThrow(RangeError)
  expect(parseLedgerUrls(`c=${c}`, 'postgres://u@c.example/other').size).toBe(1)
})
