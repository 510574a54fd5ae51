import { eBenjaminiHochberg } from './e-benjamini-hochberg.ts'

const of = (...eValues: number[]) => eBenjaminiHochberg(eValues.map(Math.log), 0.05)

it('rejects one hypothesis alone from K/alpha on', () => {
  expect(of(1, 80, 1, 1)).toEqual([false, true, false, false])
  expect(of(1, 79, 1, 1)).toEqual([false, false, false, false])
})

it('rejects the k strongest when the weakest of them has K/(alpha·k)', () => {
  expect(of(41, 1, 45, 1)).toEqual([true, false, true, false])
  expect(of(30, 30, 30, 1)).toEqual([true, true, true, false])
  expect(of(39, 1, 39, 1)).toEqual([false, false, false, false])
})

it('rejects nothing without hypotheses, and refuses impossible arguments', () => {
  expect(eBenjaminiHochberg([], 0.05)).toEqual([])
  expect(() => eBenjaminiHochberg([Number.NaN], 0.05)).toThrow('logEValues[0]')
  expect(() => eBenjaminiHochberg([0], 1)).toThrow('alpha')
})
