import { nextActions } from '@ratchet/contracts/setup-status'
import { nextSteps, pathOfStep } from './next-step.ts'

it('knows every step of the contract', () => {
  expect(Object.keys(nextSteps).sort()).toEqual([...nextActions].sort())
})

it('leads only to pages that exist', () => {
  expect(pathOfStep('enable_logging', ['', 'settings'])).toBe('settings/logging')
  expect(pathOfStep('grade', ['', 'settings'])).toBeNull()
  expect(pathOfStep('grade', ['', 'review'])).toBe('review')
  expect(pathOfStep('none', ['', 'review'])).toBeNull()
})
