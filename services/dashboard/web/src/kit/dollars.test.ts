import { centsOfDollars, nanoOfDollars } from './dollars.ts'

it.each([
  ['20', '20000000000'],
  [' $1,250.50 ', '1250500000000'],
  ['0.000000001', '1'],
  ['0', null],
  ['-3', null],
  ['1e3', null],
  ['', null],
  ['ten', null],
])('%j is %s n$', (text, nano) => {
  expect(nanoOfDollars(text)).toBe(nano)
})

it.each([
  ['20', 2_000],
  ['0.01', 1],
  ['0.001', null],
  ['x', null],
])('%j is %s cents', (text, cents) => {
  expect(centsOfDollars(text)).toBe(cents)
})
