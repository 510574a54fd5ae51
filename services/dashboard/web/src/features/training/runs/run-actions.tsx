import {
  cancelGrpoRun,
  type GrpoRun,
  getGrpoRun,
  listGrpoRuns,
  pauseGrpoRun,
  resumeGrpoRun,
} from '@ratchet/contracts/grpo'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useKey } from '../../../keys/key-context.ts'
import { ActButtons, type ActQuestion, AskedAct, useAskedAct } from '../asked-act.tsx'
import { actsOn, type RunAct } from './run-words.ts'

const changes = [getGrpoRun, listGrpoRuns]
/** A trainer does what it is asked with its next report, so the run may still be running. */
const notices: Record<RunAct, string> = {
  pause: 'The run is paused as soon as a checkpoint is stored.',
  resume: 'The run is queued again.',
  cancel: 'The run ends as soon as its trainer has stopped.',
}
const buttons: Record<RunAct, string> = { pause: 'Pause', resume: 'Resume', cancel: 'Cancel the run' }
const questions: Record<RunAct, ActQuestion> = {
  pause: [
    'Pause this run?',
    'Pause the run',
    'It saves a checkpoint first, which may take a minute and is charged; the rest of the hold is released. After 30 days a paused run is cancelled.',
  ],
  resume: [
    'Resume this run?',
    'Resume the run',
    'Its judges must still be proven. The cost of what is left is held again, and the run goes on at its last checkpoint. What the guard found until now is accepted: it pauses the run again if that grows.',
  ],
  cancel: [
    'Cancel this run?',
    'End the run',
    'It may take a minute to end, and cannot be continued. Its steps until the last checkpoint are charged; the rest of the hold is released.',
  ],
}

/** Pause or resume, and cancel, each after a question. */
export function RunActions({ run }: { readonly run: GrpoRun }): ReactNode {
  const { asked, ask, doneWith, close } = useAskedAct<RunAct>()
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const acts = {
    pause: useAct(pauseGrpoRun, { changes, onDone: doneWith(notices.pause) }),
    resume: useAct(resumeGrpoRun, { changes, onDone: doneWith(notices.resume) }),
    cancel: useAct(cancelGrpoRun, { changes, onDone: doneWith(notices.cancel) }),
  }
  const shown = actsOn(run)
  const main = shown.find((act) => act !== 'cancel')
  useKey('job.pause', () => main !== undefined && ask(acts, main), { enabled: main !== undefined && reason === null })
  if (shown.length === 0) return null
  return (
    <>
      <ActButtons shown={shown} buttons={buttons} reason={reason} onAsk={(act) => ask(acts, act)} />
      <AskedAct asked={asked} acts={acts} questions={questions} id={run.id} onClose={close} />
    </>
  )
}
