import { type NextAction, nextActions } from '@ratchet/contracts/setup-status'
import type { Right } from '../../api/rights.ts'

interface Step {
  /** What the person does, as a verb. */
  readonly label: string
  /** Why, for people: the reply of the endpoint names calls of the API. */
  readonly why: string
  /** Path below the workspace of the page where that is done; null when nothing is to do. */
  readonly path: string | null
  /** What doing it requires; null when everybody may. */
  readonly right: Right | null
}

/** The steps of the loop, in their order, and where each is done. */
export const nextSteps: Record<NextAction, Step> = {
  enable_logging: {
    label: 'Turn logging on',
    why: 'Logging is off. What is not stored can be neither graded nor compared.',
    path: 'settings/logging',
    right: 'owner_admin',
  },
  send_traffic: {
    label: 'Send requests',
    why: 'Send requests with a key or from the playground. Answers appear in the log after some seconds.',
    path: 'playground',
    right: null,
  },
  create_judge: {
    label: 'Make a judge',
    why: 'Describe what makes an answer fail. A judge then checks answers as people would.',
    path: 'judges',
    right: 'owner_admin',
  },
  grade: {
    label: 'Grade answers',
    why: 'Grade answers in a round, until the judge can be calibrated.',
    path: 'review',
    right: 'grader',
  },
  calibrate: {
    label: 'Calibrate the judge',
    why: 'There are enough grades. Measure how far the judge agrees with people.',
    path: 'judges',
    right: 'owner_admin',
  },
  grade_fails: {
    label: 'Grade failing answers',
    why: 'Grade more answers, until enough of them fail: only failing answers prove what the judge finds.',
    path: 'review',
    right: 'grader',
  },
  run_eval: {
    label: 'Compare models',
    why: 'Compare a candidate with the model you run today.',
    path: 'evals',
    right: 'owner_admin',
  },
  create_alias: {
    label: 'Make an alias',
    why: 'Put an alias in front of your model, so that it can be moved.',
    path: 'aliases',
    right: 'owner_admin',
  },
  none: {
    label: 'Nothing to do',
    why: '',
    path: null,
    right: null,
  },
}

/** The path of the page for a step, if this build has it: a page is known by the entry of the rail that it belongs to. */
export function pathOfStep(action: NextAction, railPaths: readonly string[]): string | null {
  const { path } = nextSteps[action]
  const [entry = ''] = path?.split('/') ?? []
  return path !== null && railPaths.includes(entry) ? path : null
}

export interface ListedStep {
  readonly action: NextAction
  readonly label: string
  readonly place: 'done' | 'now' | 'later'
}

/** All steps up to the closed loop. Each requires those before it, so these are done. */
export function listedSteps(now: NextAction): readonly ListedStep[] {
  const at = nextActions.indexOf(now)
  return nextActions
    .filter((action) => action !== 'none')
    .map((action, index) => ({
      action,
      label: nextSteps[action].label,
      place: index < at ? 'done' : index === at ? 'now' : 'later',
    }))
}
