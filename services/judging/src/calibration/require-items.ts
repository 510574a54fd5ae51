import { ServiceError } from '@ratchet/service-kit/service-error'
import { minGrades } from './calibration-notes.ts'
import type { SelectedItems } from './select-items.ts'

/** @throws ServiceError saying what is missing when there is nothing to judge */
export function requireItems({ items, ties }: SelectedItems): void {
  if (items.length > 0) return
  const tied = ties === 0 ? '' : ` ${ties} graded items are left out because their graders disagree evenly.`
  const message = `There are no grades to calibrate against.${tied} Grade at least ${minGrades} exchanges of its population, of both classes, or widen label_filter.`
  const check = { name: 'graded_items', operator: '>=', threshold: 1, observed: 0, passed: false }
  throw new ServiceError('precondition_failed', message, { details: { checks: [check], ties } })
}
