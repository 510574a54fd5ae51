import { listAliases } from '@ratchet/contracts/aliases'
import { type Criterion, getCriterion } from '@ratchet/contracts/criteria'
import { Outlet, useParams } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { AliasLinks } from '../../../kit/alias-links.tsx'
import { Page } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { RowsSkeleton } from '../../../kit/states/skeletons.tsx'
import { pagesBelow, TabLinks } from '../../../kit/tab-links.tsx'
import { trustStateOf } from '../../../pictures/trust-state.ts'
import { actText, judgedByText, populationText } from '../judge-words.ts'
import styles from '../judges.module.css'
import { DeleteJudge } from './delete-judge.tsx'
import { JudgeContext } from './judge-context.ts'

const tabs = [
  ['', 'Evidence'],
  ['/confusion', 'Confusion'],
  ['/try', 'Try'],
  ['/verdicts', 'Verdicts'],
  ['/scans', 'Scans'],
  ['/monitor', 'Monitor'],
  ['/improve', 'Improve'],
  ['/prompt', 'Prompt'],
] as const

/** Checks have no prompt that could be improved. */
function tabsOf({ kind }: Criterion) {
  return kind === 'model' ? tabs : tabs.filter(([path]) => path !== '/improve')
}

/** A judge: what it is, how far it is trusted, and its tabs. */
export function JudgeLayout(): ReactNode {
  const slug = useWorkspaceSlug()
  const { judge: id = '' } = useParams({ strict: false })
  const judge = useEndpoint(getCriterion, { params: { id } }, { topics: ['judges'] })
  if (judge.data === undefined) {
    return (
      <Page title="Judge">
        <Loaded query={judge}>{() => null}</Loaded>
      </Page>
    )
  }
  return (
    <Loaded query={judge}>
      {(data) => (
        <JudgeContext value={data}>
          <Page
            title={data.name}
            lead={`${judgedByText(data)} · ${populationText(data)}${data.status === 'retired' ? ' · retired' : ''}`}
            actions={<DeleteJudge judge={data} />}
          >
            <div style={{ display: 'flex', flexWrap: 'wrap', gap: '4px 16px' }}>
              <StateLabel state={trustStateOf[data.trust]}>{data.trust}</StateLabel>
              <span className="dimmed">{actText(data)}</span>
              <Gates judgeId={data.id} />
            </div>
            {data.drift_status === 'flagged' && (
              <Notice state="wrong">{data.drift_reason ?? 'The judge must be calibrated again.'}</Notice>
            )}
            <div>
              <TabLinks label="Judge" pages={pagesBelow(`/w/${slug}/judges/${id}`, tabsOf(data))} />
              <div className={styles.tabBody}>
                <Suspense fallback={<RowsSkeleton />}>
                  <Outlet />
                </Suspense>
              </div>
            </div>
          </Page>
        </JudgeContext>
      )}
    </Loaded>
  )
}

/** The aliases whose gate relies on the judge. */
function Gates({ judgeId }: { readonly judgeId: string }): ReactNode {
  const aliases = useEndpoint(listAliases, { query: { limit: 200 } }, { topics: ['aliases'] }).data?.data ?? []
  const names = aliases.filter(({ gate_criterion_id: id }) => id === judgeId).map(({ name }) => name)
  if (names.length === 0) return null
  return (
    <span>
      {names.length === 1 ? 'The gate of' : 'The gates of'} <AliasLinks names={names} />{' '}
      {names.length === 1 ? 'relies' : 'rely'} on it.
    </span>
  )
}
