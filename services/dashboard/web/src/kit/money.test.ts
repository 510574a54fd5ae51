import { addMoney, microOfUsd, moneyText, nanoOfUsd, shareOf } from './money.ts'

it.each([
  ['0', '$0.00'],
  ['1234567890', '$1,234.57'],
  ['2100', '$0.0021'],
  ['21', '$0.000021'],
  ['500000', '$0.50'],
  ['-1500000', '−$1.50'],
  ['999999', '$1.00'],
])('%s micro-dollars are %s', (amount, text) => {
  expect(moneyText(amount)).toBe(text)
})

it('shows every digit where books are compared', () => {
  expect(moneyText('1234567890', { exact: true })).toBe('$1,234.56789')
  expect(moneyText('1', { unit: 'nano', exact: true })).toBe('$0.000000001')
  expect(moneyText('9223372036854775807', { exact: true })).toBe('$9,223,372,036,854.775807')
})

it('adds without losing a digit', () => {
  expect(addMoney(['9007199254740993', '1', '-3'])).toBe('9007199254740991')
})

it.each([
  [0.1, '100000'],
  [1e-6, '1'],
  [0.0021, '2100'],
  [-2.5, '-2500000'],
  [1234.567891, '1234567891'],
])('%s dollars are %s micro-dollars', (usd, micro) => {
  expect(microOfUsd(usd)).toBe(micro)
})

it('gives shares for bars, also of nothing', () => {
  expect(shareOf('25', '100')).toBe(0.25)
  expect(shareOf('0', '0')).toBe(0)
})

it('keeps the billionths of a dollar in which the ledger counts', () => {
  expect([0.1, 0.000_000_001, -2.5, 12.345_678_912].map(nanoOfUsd)).toEqual([
    '100000000',
    '1',
    '-2500000000',
    '12345678912',
  ])
})
