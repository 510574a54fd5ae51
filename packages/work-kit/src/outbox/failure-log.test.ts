import { fixedClock } from '@ratchet/testing/fixed-clock'
import { createFailureLog } from './failure-log.ts'

it('logs the first failure at once, and later ones once a minute with their number', () => {
  const clock = fixedClock()
  const lines: unknown[] = []
  const failures = createFailureLog({ warn: (fields) => lines.push(fields) }, clock.now)
  const err = new Error('unavailable')
  for (let second = 0; second < 61; second += 1) {
    failures.report(err, `r${second}`)
    clock.advance(1_000)
  }
  failures.report(err)
  expect(lines).toEqual([
    { event: 'webhook_events_unpublished', failures: 1, rowId: 'r0', err },
    { event: 'webhook_events_unpublished', failures: 60, rowId: 'r60', err },
  ])
})
