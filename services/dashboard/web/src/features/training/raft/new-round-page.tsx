import { Button } from '@mantine/core'
import { listRaftRounds } from '@ratchet/contracts/raft'
import { estimateRaftRound, startRaftRound } from '@ratchet/contracts/session-raft'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { ApiError } from '../../../api/api-error.ts'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { usePostedRead } from '../../../api/use-posted-read.ts'
import { useKey } from '../../../keys/key-context.ts'
import { AboveList } from '../../../kit/above.tsx'
import { Card, Page } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import styles from '../training.module.css'
import { MoreRoundFields } from './more-round-fields.tsx'
import { RoundEstimate } from './round-estimate.tsx'
import { FirstStep, SettingFields } from './round-fields.tsx'
import { bodyOf, missingText, newRoundValues, pricedOf, type RoundValues } from './round-values.ts'

const route = getRouteApi('/w/$slug/training/raft/new')

/** A new round, or the next one of a chain. */
export function NewRoundPage(): ReactNode {
  const { slug } = route.useParams()
  const { round_id: continueFrom = null } = route.useSearch() as { round_id?: string }
  const navigate = useNavigate({ from: '/w/$slug/training/raft/new' })
  const [values, setValues] = useState<RoundValues>(newRoundValues)
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const priced = reason === null ? pricedOf(values, continueFrom) : null
  const estimate = usePostedRead(estimateRaftRound, priced)
  const act = useAct(startRaftRound, {
    changes: [listRaftRounds],
    onDone: ({ id }) => void navigate({ to: '/w/$slug/training/raft/$id', params: { slug, id } }),
  })
  const change = (changed: Partial<RoundValues>) => {
    if (!act.isPending) act.reset()
    setValues((before) => ({ ...before, ...changed }))
  }
  const body = bodyOf(values, continueFrom)
  const missing = missingText(values, continueFrom)
  const mayStart = reason === null && body !== null && !act.isPending
  const start = () => {
    if (body !== null && mayStart) act.mutate({ body })
  }
  useKey('submit', start, { enabled: mayStart })
  const refused = act.error ?? (priced === null ? null : estimate.error)
  const errorAt = (field: string) =>
    refused instanceof ApiError && refused.param?.startsWith(field) ? refused.message : undefined
  const step = { values, change, errorAt }
  const isShown = priced !== null && refused === null && estimate.data !== undefined
  return (
    <Page
      title={continueFrom === null ? 'New round' : 'Next round'}
      lead="Every answer is asked for once, and judged by judges that are proven. What they accept is trained on only if it is pure enough."
      above={<AboveList of="training/raft" />}
    >
      <div className={styles.parts}>
        {continueFrom === null ? (
          <FirstStep {...step} />
        ) : (
          <Notice state="none">
            Model, prompts and judges are those of the chain. The version of the last round answers, if it was better
            than what it came from.
          </Notice>
        )}
        <Card title="2. Settings and cost">
          <div className={styles.parts}>
            <SettingFields {...step} />
            <MoreRoundFields {...step} isFirst={continueFrom === null} />
            {isShown && <RoundEstimate estimate={estimate.data} />}
          </div>
        </Card>
        {refused !== null && <ErrorState error={refused} />}
        <div>
          {missing !== null && <p className="dimmed">{missing}</p>}
          <NotPermitted reason={reason}>
            {(disabled) => (
              <Button disabled={disabled || !mayStart} loading={act.isPending} onClick={start}>
                Start the round
              </Button>
            )}
          </NotPermitted>
        </div>
      </div>
    </Page>
  )
}
