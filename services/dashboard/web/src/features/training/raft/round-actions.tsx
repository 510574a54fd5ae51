import { Button } from '@mantine/core'
import { getRaftRound, listRaftRounds, type RaftRound } from '@ratchet/contracts/raft'
import { cancelRaftRound, resumeRaftRound } from '@ratchet/contracts/session-raft'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { type ActQuestion, AskedAct, useAskedAct } from '../asked-act.tsx'
import { isUnderWay } from './round-words.ts'

type Act = 'cancel' | 'resume'

const changes = [getRaftRound, listRaftRounds]
const questions: Record<Act, ActQuestion> = {
  cancel: [
    'Cancel this round?',
    'End the round',
    'What was answered and judged is charged and kept, so the round can be resumed. A job of the round is cancelled too.',
  ],
  resume: ['Resume this round?', 'Go on', 'It goes on where it stopped. Nothing is asked or charged twice.'],
}

/** Cancel, resume, and go on with the next round. */
export function RoundActions({ round }: { readonly round: RaftRound }): ReactNode {
  const { asked, ask, doneWith, close } = useAskedAct<Act>()
  const slug = useWorkspaceSlug()
  const navigate = useNavigate()
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const acts = {
    cancel: useAct(cancelRaftRound, { changes, onDone: doneWith('The round has ended.') }),
    resume: useAct(resumeRaftRound, { changes, onDone: doneWith('The round goes on.') }),
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
              <Button variant="default" disabled={disabled} onClick={() => ask(acts, 'cancel')}>
                Cancel the round
              </Button>
            )}
            {(round.status === 'failed' || round.status === 'cancelled') && (
              <Button variant="default" disabled={disabled} onClick={() => ask(acts, 'resume')}>
                Resume
              </Button>
            )}
          </>
        )}
      </NotPermitted>
      <AskedAct asked={asked} acts={acts} questions={questions} id={round.id} onClose={close} />
    </>
  )
}
