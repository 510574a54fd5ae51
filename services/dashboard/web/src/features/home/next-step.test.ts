import { nextActions } from '@ratchet/contracts/setup-status'
import { listedSteps, nextSteps, pathOfStep } from './next-step.ts'

it('knows every step of the contract', () => {
  expect(Object.keys(nextSteps).sort()).toEqual([...nextActions].sort())
})

it('leads only to pages that exist', () => {
  expect(pathOfStep('enable_logging', ['', 'settings'])).toBe('settings/logging')
  expect(pathOfStep('grade', ['', 'settings'])).toBeNull()
  expect(pathOfStep('grade', ['', 'review'])).toBe('review')
  expect(pathOfStep('none', ['', 'review'])).toBeNull()
})

it('lists the steps with what is done, and the one that is next', () => {
  const places = listedSteps('create_judge').map(({ place }) => place)
  expect(places).toEqual(['done', 'done', 'now', 'later', 'later', 'later', 'later', 'later'])
  expect(listedSteps('none').every(({ place }) => place === 'done')).toBe(true)
})
