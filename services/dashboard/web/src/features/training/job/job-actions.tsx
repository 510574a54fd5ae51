import { Button, Text } from '@mantine/core'
import {
  cancelFineTuningJob,
  type FineTuningJob,
  getFineTuningJob,
  listFineTuningJobs,
  pauseFineTuningJob,
  resumeFineTuningJob,
} from '@ratchet/contracts/fine-tuning'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useKey } from '../../../keys/key-context.ts'
import { Confirm } from '../../../kit/dialogs/confirm.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { toast } from '../../../kit/toast.tsx'
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

/** Pause or resume, and cancel, each after a question. */
export function JobActions({ job }: { readonly job: FineTuningJob }): ReactNode {
  const [asked, setAsked] = useState<Act | null>(null)
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const doneWith = (act: Act) => () => {
    setAsked(null)
    toast(notices[act])
  }
  const acts = {
    pause: useAct(pauseFineTuningJob, { changes, onDone: doneWith('pause') }),
    resume: useAct(resumeFineTuningJob, { changes, onDone: doneWith('resume') }),
    cancel: useAct(cancelFineTuningJob, { changes, onDone: doneWith('cancel') }),
  }
  const main = job.status === 'running' ? 'pause' : job.status === 'paused' ? 'resume' : null
  const ask = (act: Act) => {
    acts[act].reset()
    setAsked(act)
  }
  useKey('job.pause', () => main !== null && ask(main), { enabled: main !== null && reason === null })
  if (!isOpen(job)) return null
  const shown: readonly Act[] = main === null ? ['cancel'] : [main, 'cancel']
  return (
    <>
      <NotPermitted reason={reason}>
        {(disabled) =>
          shown.map((act) => (
            <Button key={act} variant="default" disabled={disabled} onClick={() => ask(act)}>
              {buttons[act]}
            </Button>
          ))
        }
      </NotPermitted>
      <Question act={asked} acts={acts} id={job.id} onClose={() => setAsked(null)} />
    </>
  )
}

interface Running {
  readonly isPending: boolean
  readonly error: Error | null
  readonly mutate: (input: { readonly params: { readonly id: string } }) => void
}

interface QuestionProps {
  /** Null: nothing is asked. */
  readonly act: Act | null
  readonly acts: Readonly<Record<Act, Running>>
  readonly id: string
  readonly onClose: () => void
}

const questions: Record<Act, readonly [title: string, verb: string, text: string]> = {
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

function Question({ act, acts, id, onClose }: QuestionProps): ReactNode {
  if (act === null) return null
  const [title, verb, text] = questions[act]
  const { isPending, error, mutate } = acts[act]
  return (
    <Confirm
      opened
      onClose={onClose}
      title={title}
      verb={verb}
      isRunning={isPending}
      error={error}
      onConfirm={() => mutate({ params: { id } })}
    >
      <Text>{text}</Text>
    </Confirm>
  )
}
