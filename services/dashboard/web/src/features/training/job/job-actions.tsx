import {
  cancelFineTuningJob,
  type FineTuningJob,
  getFineTuningJob,
  listFineTuningJobs,
  pauseFineTuningJob,
  resumeFineTuningJob,
} from '@ratchet/contracts/fine-tuning'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useKey } from '../../../keys/key-context.ts'
import { ActButtons, type ActQuestion, AskedAct, useAskedAct } from '../asked-act.tsx'
import { isOpen } from '../words.ts'

type Act = 'pause' | 'resume' | 'cancel'

const changes = [getFineTuningJob, listFineTuningJobs]
/** A trainer does what it is asked with its next report, so the job may still be running. */
const notices: Record<Act, string> = {
  pause: 'The job is paused as soon as a checkpoint is stored.',
  resume: 'The job is queued again.',
  cancel: 'The job ends as soon as its trainer has stopped.',
}
const buttons: Record<Act, string> = { pause: 'Pause', resume: 'Resume', cancel: 'Cancel the job' }

const questions: Record<Act, ActQuestion> = {
  pause: [
    'Pause this job?',
    'Pause the job',
    'It saves a checkpoint first, which may take a minute and is charged; the rest of the hold is released. After 30 days a paused job is cancelled.',
  ],
  resume: [
    'Resume this job?',
    'Resume the job',
    'The cost of what is left is held again, and the job waits for a trainer. It goes on at its last checkpoint.',
  ],
  cancel: [
    'Cancel this job?',
    'End the job',
    'It may take a minute to end, and cannot be continued. Its checkpoints are charged and stay usable; the rest of the hold is released.',
  ],
}

/** Pause or resume, and cancel, each after a question. */
export function JobActions({ job }: { readonly job: FineTuningJob }): ReactNode {
  const { asked, ask, doneWith, close } = useAskedAct<Act>()
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const acts = {
    pause: useAct(pauseFineTuningJob, { changes, onDone: doneWith(notices.pause) }),
    resume: useAct(resumeFineTuningJob, { changes, onDone: doneWith(notices.resume) }),
    cancel: useAct(cancelFineTuningJob, { changes, onDone: doneWith(notices.cancel) }),
  }
  const main = job.status === 'running' ? 'pause' : job.status === 'paused' ? 'resume' : null
  useKey('job.pause', () => main !== null && ask(acts, main), { enabled: main !== null && reason === null })
  if (!isOpen(job)) return null
  const shown: readonly Act[] = main === null ? ['cancel'] : [main, 'cancel']
  return (
    <>
      <ActButtons shown={shown} buttons={buttons} reason={reason} onAsk={(act) => ask(acts, act)} />
      <AskedAct asked={asked} acts={acts} questions={questions} id={job.id} onClose={close} />
    </>
  )
}
