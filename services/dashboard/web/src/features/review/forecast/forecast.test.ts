import { forecastOf, forecastSentence } from './forecast.ts'

const stratum = (verdict: 'pass' | 'fail', fails: number, passes: number) => ({
  stratum: verdict,
  verdict,
  rows: 500,
  taken: fails + passes,
  fails,
  passes,
  available: 500 - fails - passes,
})

it('gives the same forecast for the same grades', () => {
  const strata = [stratum('fail', 30, 1), stratum('pass', 0, 30)]
  expect(forecastOf(strata)).toEqual(forecastOf(strata))
})

it.each([
  [{ expected: 0, likely: 0, curve: [] }, /proven by these grades/],
  [{ expected: null, likely: null, curve: [{ grades: 10, trusted: 0.3 }] }, /^No number .* 30 %/],
  [
    {
      expected: 40,
      likely: 90,
      curve: [
        { grades: 40, trusted: 0.61 },
        { grades: 90, trusted: 0.88 },
      ],
    },
    /^About 40 more grades, .* 61 % after 40 more grades, 88 % after 90/,
  ],
])('says what %j promises', (forecast, words) => {
  expect(forecastSentence(forecast)).toMatch(words)
})
