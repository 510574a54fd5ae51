import { Button, Text } from '@mantine/core'
import {
  cancelGrpoRun,
  type GrpoRun,
  getGrpoRun,
  listGrpoRuns,
  pauseGrpoRun,
  resumeGrpoRun,
} from '@ratchet/contracts/grpo'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useKey } from '../../../keys/key-context.ts'
import { Confirm } from '../../../kit/dialogs/confirm.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { toast } from '../../../kit/toast.tsx'
import { actsOn, type RunAct } from './run-words.ts'

const changes = [getGrpoRun, listGrpoRuns]
/** A trainer does what it is asked with its next report, so the run may still be running. */
const notices: Record<RunAct, string> = {
  pause: 'The run is paused as soon as a checkpoint is stored.',
  resume: 'The run is queued again.',
  cancel: 'The run ends as soon as its trainer has stopped.',
}
const buttons: Record<RunAct, string> = { pause: 'Pause', resume: 'Resume', cancel: 'Cancel the run' }
const questions: Record<RunAct, readonly [title: string, verb: string, text: string]> = {
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
  const [asked, setAsked] = useState<RunAct | null>(null)
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const doneWith = (act: RunAct) => () => {
    setAsked(null)
    toast(notices[act])
  }
  const acts = {
    pause: useAct(pauseGrpoRun, { changes, onDone: doneWith('pause') }),
    resume: useAct(resumeGrpoRun, { changes, onDone: doneWith('resume') }),
    cancel: useAct(cancelGrpoRun, { changes, onDone: doneWith('cancel') }),
  }
  const ask = (act: RunAct) => {
    acts[act].reset()
    setAsked(act)
  }
  const shown = actsOn(run)
  const main = shown.find((act) => act !== 'cancel')
  useKey('job.pause', () => main !== undefined && ask(main), { enabled: main !== undefined && reason === null })
  if (shown.length === 0) return null
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
      {asked !== null && (
        <Confirm
          opened
          onClose={() => setAsked(null)}
          title={questions[asked][0]}
          verb={questions[asked][1]}
          isRunning={acts[asked].isPending}
          error={acts[asked].error}
          onConfirm={() => acts[asked].mutate({ params: { id: run.id } })}
        >
          <Text>{questions[asked][2]}</Text>
        </Confirm>
      )}
    </>
  )
}
