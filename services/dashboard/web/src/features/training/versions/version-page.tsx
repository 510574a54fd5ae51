import { getModelVersion, getVersionLineage, type ModelVersionDetail } from '@ratchet/contracts/model-versions'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { usePolling } from '../../../api/use-polling.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { AboveList } from '../../../kit/above.tsx'
import { CopyText } from '../../../kit/copy-text.tsx'
import { Facts } from '../../../kit/facts.tsx'
import { bytesText } from '../../../kit/numbers.ts'
import { Card, Page } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { LineageGraph } from '../../../pictures/lineage-graph.tsx'
import styles from '../training.module.css'
import { VersionActions } from './version-actions.tsx'
import {
  aliasesText,
  auditText,
  producerText,
  servedText,
  stateOfStatus,
  versionTitle,
  winRateText,
} from './version-words.ts'

/** What changes who uses a version, and what is known of it. */
const topics = ['aliases', 'evals'] as const
/** While the pool loads it, milliseconds. */
const pollMs = 2_000
const route = getRouteApi('/w/$slug/training/versions/$id')

/** A model version: where it comes from, what is known of its quality, and who uses it. */
export function VersionPage(): ReactNode {
  const { id } = route.useParams()
  const found = useEndpoint(getModelVersion, { params: { id } }, { topics })
  usePolling(found.refetch, found.data?.serving.pool === 'loading', pollMs)
  return (
    <Page
      title={found.data === undefined ? 'Model version' : versionTitle(found.data)}
      lead={<CopyText text={found.data?.model_id ?? id} label="Copy the name of the version" />}
      above={<AboveList of="training/versions" />}
      actions={found.data && <VersionActions version={found.data} />}
    >
      <Loaded query={found}>
        {(version) => (
          <div className={styles.parts}>
            {version.warnings.map((warning) => (
              <Notice key={warning} state="borderline">
                {warning}
              </Notice>
            ))}
            <div className={styles.pair}>
              <FactsPart version={version} />
              <EvidencePart version={version} />
            </div>
            <LineagePart id={id} />
          </div>
        )}
      </Loaded>
    </Page>
  )
}

function FactsPart({ version }: { readonly version: ModelVersionDetail }): ReactNode {
  const slug = useWorkspaceSlug()
  const { status, status_reason: reason, adapter, serving } = version
  return (
    <Card title="What it is">
      <Facts
        facts={[
          [
            'Status',
            <StateLabel key="status" state={stateOfStatus(status)}>
              {status}
            </StateLabel>,
          ],
          ...(reason === null ? [] : [['Reason', reason] as const]),
          ['Aliases', aliasesText(version)],
          ['Base', version.base_model],
          ['Made by', producerText(version)],
          ['Adapter', adapter === null ? 'all weights' : `rank ${adapter.rank}, ${bytesText(adapter.size_bytes)}`],
          ['Requests', servedText(serving)],
          ['Created', <TimeText key="at" at={version.created_at} />],
          ['Adopted', <TimeText key="adopted" at={version.adopted_at} empty="not yet" />],
        ]}
      />
      {adapter !== null && status !== 'rejected' && status !== 'archived' && (
        <Link to="/w/$slug/training/endpoints/new" params={{ slug }} search={{ version_id: version.id }}>
          Serve it on an endpoint of its own
        </Link>
      )}
    </Card>
  )
}

function EvidencePart({ version }: { readonly version: ModelVersionDetail }): ReactNode {
  const slug = useWorkspaceSlug()
  const { evidence, from_reward: isFromReward, model_id: candidate } = version
  const { eval_id: evalId } = evidence
  return (
    <Card title="What is known of its quality">
      <Facts
        facts={[
          [
            'Newest eval',
            evalId === null ? (
              'none'
            ) : (
              <Link key="eval" to="/w/$slug/evals/$id" params={{ slug, id: evalId }} search={{}}>
                {`against ${evidence.baseline_model}`}
              </Link>
            ),
          ],
          ['Win rate', winRateText(evidence)],
          ...(isFromReward
            ? [
                ['Guard', evidence.guard_verdict ?? 'none'] as const,
                ['Audit by people', auditText(evidence)] as const,
                ['Adoption', "always needs evidence, because a judge's reward made it"] as const,
              ]
            : []),
        ]}
      />
      <Link to="/w/$slug/evals/new" params={{ slug }} search={{ candidate }}>
        Compare it with another model
      </Link>
    </Card>
  )
}

function LineagePart({ id }: { readonly id: string }): ReactNode {
  const lineage = useEndpoint(getVersionLineage, { params: { id } }, { topics })
  return (
    <Card title="Where it comes from, and where it went">
      <Loaded query={lineage}>{(found) => <LineageGraph lineage={found} />}</Loaded>
    </Card>
  )
}
