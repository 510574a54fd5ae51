import { isOpen, isoOfSeconds, isUnderWay, progressText, statusOf, titleOf } from './words.ts'

it('says what a running job does now', () => {
  expect(statusOf({ status: 'running', phase: 'evaluating' })).toEqual({ word: 'validating', state: 'open' })
  expect(statusOf({ status: 'running', phase: null })).toEqual({ word: 'running', state: 'open' })
  expect(statusOf({ status: 'failed', phase: null })).toEqual({ word: 'failed', state: 'wrong' })
})

it('knows that a paused job can be cancelled, and does not change by itself', () => {
  expect([isUnderWay({ status: 'paused' }), isOpen({ status: 'paused' })]).toEqual([false, true])
  expect([isUnderWay({ status: 'queued' }), isOpen({ status: 'succeeded' })]).toEqual([true, false])
})

it.each([
  [0, null, '–'],
  [12, null, 'step 12'],
  [30, 120, '25 %'],
  [130, 120, '100 %'],
])('shows step %i of %p as %s', (step, total, text) => {
  expect(progressText({ progress: { step, total_steps: total, epoch: 0 } })).toBe(text)
})

it('names a job by its suffix, and times by ISO 8601', () => {
  expect(titleOf({ model: 'sim/small', suffix: 'support' })).toBe('support, from sim/small')
  expect(titleOf({ model: 'sim/small', suffix: null })).toBe('sim/small')
  expect([isoOfSeconds(1_795_000_000), isoOfSeconds(null)]).toEqual(['2026-11-18T11:06:40.000Z', null])
})
