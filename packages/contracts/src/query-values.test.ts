import { decimalNumber, flag, moment, wholeNumber } from './query-values.ts'

const count = wholeNumber({ min: 1, max: 10_000 })
const price = decimalNumber({ min: 0, max: 5 })

it.each([
  ['1', 1],
  ['0010000', 10_000],
  [7, 7],
])('reads %j as a whole number', (value, expected) => {
  expect(count.parse(value)).toBe(expected)
})

it.each([
  '',
  ' ',
  ' 5',
  '5 ',
  '0',
  '-1',
  '10001',
  '2.5',
  '5.0',
  '1e2',
  '0x10',
  'NaN',
  'Infinity',
  'many',
  '９',
  null,
  true,
  [],
  ['1'],
  2.5,
])('refuses %j as a whole number, with the range', (value) => {
  expect(count.safeParse(value).error?.issues).toMatchObject([
    { message: 'This must be a whole number from 1 to 10,000.' },
  ])
})

it.each([
  ['0', 0],
  ['0.000001', 0.000_001],
  ['.5', 0.5],
  ['5.', 5],
  ['1e-7', 1e-7],
  [2.5, 2.5],
])('reads %j as a number', (value, expected) => {
  expect(price.parse(value)).toBe(expected)
})

it.each(['', ' ', '-0.1', '5.1', '1e9', '1,5', '0x1', 'NaN', 'cheap', null, true, ['1'], Number.NaN])(
  'refuses %j as a number, with the range',
  (value) => {
    expect(price.safeParse(value).error?.issues).toMatchObject([{ message: 'This must be a number from 0 to 5.' }])
  },
)

it.each([
  ['true', true],
  ['false', false],
])('reads the flag %s', (value, expected) => {
  expect(flag.parse(value)).toBe(expected)
})

it.each(['', 'TRUE', '1', 'yes', null])('refuses %j as a flag', (value) => {
  expect(flag.safeParse(value).error?.issues).toMatchObject([{ message: 'This must be true or false.' }])
})

it.each([
  ['2026-11-21', '2026-11-21T00:00:00.000Z'],
  ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.000Z'],
  ['2026-11-21T10:00:00.5+02:00', '2026-11-21T08:00:00.500Z'],
])('reads the time %s', (value, expected) => {
  expect(moment.parse(value).toISOString()).toBe(expected)
})

it.each(['', 'yesterday', '2026-02-30', '2026-11-21T10:00:00', '1732186800', '21.11.2026', null])(
  'refuses %j as a time',
  (value) => {
    expect(moment.safeParse(value).error?.issues).toMatchObject([
      { message: expect.stringMatching(/^This must be an ISO 8601/) },
    ])
  },
)
