import { canarySentence, points } from './canary-sentence.ts'

it('says what the picture shows', () => {
  const looks = [{ scored: 400, difference: -0.012, low: -0.048, high: 0.024 }]
  const sentence = canarySentence({ looks, margin: 0.05, verdict: 'nothing proven', expected: 'in 31 h' })
  expect(sentence).toBe(
    'canary −1.2 points, 95 % from −4.8 to +2.4 at every evaluation; margin 5.0; nothing proven; decision expected in 31 h.',
  )
})

it('says that there is nothing yet', () => {
  expect(canarySentence({ looks: [], margin: 0.05, verdict: '' })).toContain('No answer')
})

it('writes points with their sign', () => {
  expect([0.0004, 0.024, -0.5].map(points)).toEqual(['0', '+2.4', '−50.0'])
})
