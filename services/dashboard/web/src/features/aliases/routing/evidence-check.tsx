import type { AliasSettings } from '@ratchet/contracts/aliases'
import { type Eval, listEvals } from '@ratchet/contracts/evals'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { TimeText, useMinute } from '../../../kit/time-text.tsx'
import styles from '../aliases.module.css'
import { movesOf } from './moves-of.ts'

const maxAgeMs = 30 * 86_400_000

interface EvidenceCheckProps {
  readonly before: AliasSettings
  readonly after: Pick<AliasSettings, 'target_model' | 'canary_model' | 'canary_percent' | 'family_rules'>
}

/** For each model that may get all requests after a change: the evals that compared it. The server decides. */
export function EvidenceCheck({ before, after }: EvidenceCheckProps): ReactNode {
  return movesOf(before, after).map(({ from, to }) => <MoveEvidence key={to} from={from} to={to} />)
}

function MoveEvidence({ from, to }: { readonly from: string; readonly to: string }): ReactNode {
  const slug = useWorkspaceSlug()
  const minuteMs = useMinute()
  const query = { status: 'DONE', baseline_model: from, candidate_model: to, limit: 20 } as const
  const evals = useEndpoint(listEvals, { query })
  const isRecent = ({ created_at: at }: Eval) => minuteMs - new Date(at).getTime() < maxAgeMs
  return (
    <Loaded query={evals} skeleton={null}>
      {({ data }) => {
        const found = data.filter(isRecent)
        const link = (
          <Link to="/w/$slug/evals/new" params={{ slug }} search={{ baseline: from, candidate: to }}>
            Make one
          </Link>
        )
        if (found.length === 0) {
          return (
            <Notice state="open" action={link}>
              No eval of the last 30 days compared {from} with {to}.
            </Notice>
          )
        }
        return (
          <div>
            <p className={styles.line}>
              Evals of the last 30 days that compared {from} with {to}:
            </p>
            <ul>
              {found.map(({ id, name, created_at: at }) => (
                <li key={id}>
                  <Link to="/w/$slug/evals/$id" params={{ slug, id }} search={{}}>
                    {name}
                  </Link>
                  , <TimeText at={at} />
                </li>
              ))}
            </ul>
          </div>
        )
      }}
    </Loaded>
  )
}
