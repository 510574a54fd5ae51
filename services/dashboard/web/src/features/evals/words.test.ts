import { pointsText, pText, questionText, signedPercent, statusOf, verdictOf } from './words.ts'

it('says what a report proves, also for reports without a difference', () => {
  const old = { difference: undefined, inconclusive: false, win_rate: 0.8 }
  expect(verdictOf(old)).toEqual({ word: 'better', state: 'proven' })
  expect(verdictOf({ ...old, win_rate: 0.2 })).toEqual({ word: 'worse', state: 'wrong' })
  expect(verdictOf({ ...old, inconclusive: true })).toEqual({ word: 'nothing proven', state: 'open' })
  const difference = { verdict: 'not_worse' } as never
  expect(verdictOf({ ...old, inconclusive: true, difference }).word).toBe('not worse')
})

it('writes figures with their signs and digits', () => {
  expect([pText(0.0004), pText(0.0412)]).toEqual(['< 0.001', '0.041'])
  expect([pointsText(0.12), pointsText(-0.051), pointsText(0)]).toEqual(['+12.0 points', '−5.1 points', '0.0 points'])
  expect([signedPercent(0.123), signedPercent(-0.4), signedPercent(-0.001)]).toEqual(['+12 %', '−40 %', '0 %'])
})

it('asks the question of the eval', () => {
  expect(questionText({ question: 'not_worse', margin: 0.05, stop_when: null })).toContain('5.0 points')
  expect(questionText({ question: 'better', margin: null, stop_when: 'conclusive' })).toContain('stops')
  expect(statusOf({ status: 'RUNNING' })).toEqual({ word: 'running', state: 'open' })
})
