import { axisLabels, stacksOf } from './stacks.ts'

it('stacks the series, compares bars with the largest, and loses nothing of the totals', () => {
  const bars = [
    { label: 'Mon', amounts: { traffic: '9007199254740993', judge: '7' } },
    { label: 'Tue', amounts: { judge: '4503599627370500' } },
  ]
  const [first, second] = stacksOf(bars, ['traffic', 'judge'])
  expect(first?.total).toBe('9007199254741000')
  expect(first?.parts.map(({ series }) => series)).toEqual(['traffic', 'judge'])
  expect(second?.parts).toEqual([{ series: 'judge', amount: '4503599627370500', from: 0, share: 0.5 }])
})

it('draws nothing for nothing', () => {
  expect(stacksOf([{ label: 'Mon', amounts: {} }], ['a'])).toEqual([{ label: 'Mon', total: '0', parts: [] }])
})

it('leaves out labels that would touch each other', () => {
  const days = Array.from({ length: 31 }, (_, index) => String(index))
  expect(axisLabels(days, 1_000)).toEqual(['0', '4', '8', '12', '16', '20', '24', '28'])
  expect(axisLabels(days, 302)).toEqual(['0', '12', '24'])
  expect(axisLabels(['a', 'b'], 302)).toEqual(['a', 'b'])
})
