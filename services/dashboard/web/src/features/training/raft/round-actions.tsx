import { Button, Text } from '@mantine/core'
import { getRaftRound, listRaftRounds, type RaftRound } from '@ratchet/contracts/raft'
import { cancelRaftRound, resumeRaftRound } from '@ratchet/contracts/session-raft'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { Confirm } from '../../../kit/dialogs/confirm.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { toast } from '../../../kit/toast.tsx'
import { isUnderWay } from './round-words.ts'

type Act = 'cancel' | 'resume'

const changes = [getRaftRound, listRaftRounds]
const questions: Record<Act, readonly [title: string, verb: string, text: string]> = {
  cancel: [
    'Cancel this round?',
    'End the round',
    'What was answered and judged is charged and kept, so the round can be resumed. A job of the round is cancelled too.',
  ],
  resume: ['Resume this round?', 'Go on', 'It goes on where it stopped. Nothing is asked or charged twice.'],
}

/** Cancel, resume, and go on with the next round. */
export function RoundActions({ round }: { readonly round: RaftRound }): ReactNode {
  const [asked, setAsked] = useState<Act | null>(null)
  const slug = useWorkspaceSlug()
  const navigate = useNavigate()
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const doneWith = (notice: string) => () => {
    setAsked(null)
    toast(notice)
  }
  const acts = {
    cancel: useAct(cancelRaftRound, { changes, onDone: doneWith('The round has ended.') }),
    resume: useAct(resumeRaftRound, { changes, onDone: doneWith('The round goes on.') }),
  }
  const ask = (act: Act) => {
    acts[act].reset()
    setAsked(act)
  }
  const goOn = () =>
    void navigate({ to: '/w/$slug/training/raft/new', params: { slug }, search: { round_id: round.id } })
  return (
    <>
      <NotPermitted reason={reason}>
        {(disabled) => (
          <>
            {round.status === 'done' && (
              <Button disabled={disabled} onClick={goOn}>
                Next round
              </Button>
            )}
            {isUnderWay(round) && (
              <Button variant="default" disabled={disabled} onClick={() => ask('cancel')}>
                Cancel the round
              </Button>
            )}
            {(round.status === 'failed' || round.status === 'cancelled') && (
              <Button variant="default" disabled={disabled} onClick={() => ask('resume')}>
                Resume
              </Button>
            )}
          </>
        )}
      </NotPermitted>
      {asked !== null && (
        <Confirm
          opened
          onClose={() => setAsked(null)}
          title={questions[asked][0]}
          verb={questions[asked][1]}
          isRunning={acts[asked].isPending}
          error={acts[asked].error}
          onConfirm={() => acts[asked].mutate({ params: { id: round.id } })}
        >
          <Text>{questions[asked][2]}</Text>
        </Confirm>
      )}
    </>
  )
}
