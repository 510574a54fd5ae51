import type { NextAction } from '@ratchet/contracts/setup-status'

interface Step {
  /** What the person does, as a verb. */
  readonly label: string
  /** Path below the workspace of the page where that is done; null when nothing is to do. */
  readonly path: string | null
}

/** The steps of the loop, in their order, and where each is done. */
export const nextSteps: Record<NextAction, Step> = {
  enable_logging: { label: 'Turn logging on', path: 'settings/logging' },
  send_traffic: { label: 'Send requests', path: 'playground' },
  create_judge: { label: 'Make a judge', path: 'judges' },
  grade: { label: 'Grade answers', path: 'review' },
  calibrate: { label: 'Calibrate the judge', path: 'judges' },
  grade_fails: { label: 'Grade failing answers', path: 'review' },
  run_eval: { label: 'Compare models', path: 'evals' },
  create_alias: { label: 'Make an alias', path: 'aliases' },
  none: { label: 'Nothing to do', path: null },
}

/** The path of the page for a step, if this build has it: a page is known by the entry of the rail that it belongs to. */
export function pathOfStep(action: NextAction, railPaths: readonly string[]): string | null {
  const { path } = nextSteps[action]
  const [entry = ''] = path?.split('/') ?? []
  return path !== null && railPaths.includes(entry) ? path : null
}
