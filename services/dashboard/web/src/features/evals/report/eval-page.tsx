import { Button, Group, Text } from '@mantine/core'
import { cancelEval, type Eval, getEval, listEvals } from '@ratchet/contracts/evals'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { usePolling } from '../../../api/use-polling.ts'
import { AboveList } from '../../../kit/above.tsx'
import { CopyText } from '../../../kit/copy-text.tsx'
import { Confirm } from '../../../kit/dialogs/confirm.tsx'
import { Page } from '../../../kit/page.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { isUnderWay } from '../words.ts'
import { AliasMoves } from './alias-moves.tsx'
import { EvalFacts } from './eval-facts.tsx'
import { EvalProgress } from './eval-progress.tsx'
import { GateBuilder } from './gate-builder.tsx'
import { Report } from './report.tsx'

const route = getRouteApi('/w/$slug/evals/$id')
/** Messages say how far it is; this is for one that was lost. */
const pollMs = 3_000

/** An eval: how far it is, then what it found. */
export function EvalPage(): ReactNode {
  const { slug, id } = route.useParams()
  const found = useEndpoint(getEval, { params: { id } }, { topics: [`eval:${id}`] })
  usePolling(found.refetch, found.data !== undefined && isUnderWay(found.data), pollMs)
  return (
    <Page
      title={found.data?.name ?? 'Eval'}
      lead={<CopyText text={id} label="Copy the id of the eval" />}
      above={<AboveList of="evals" />}
      actions={found.data && <Actions each={found.data} slug={slug} />}
    >
      <Loaded query={found}>{(each) => <Parts each={each} />}</Loaded>
    </Page>
  )
}

function Parts({ each }: { readonly each: Eval }): ReactNode {
  const { report, error } = each
  return (
    <div style={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 16 }}>
      {error !== null && <Notice state="wrong">{error}</Notice>}
      {each.status === 'CANCELLED' && (
        <Notice state="none">
          This eval was cancelled. What it found until then is below; its costs remain charged.
        </Notice>
      )}
      {isUnderWay(each) && <EvalProgress each={each} />}
      {report && <Report each={each} report={report} />}
      {report && each.status === 'DONE' && <GateBuilder each={each} />}
      {report && each.status === 'DONE' && <AliasMoves each={each} />}
      <EvalFacts each={each} />
    </div>
  )
}

interface ActionsProps {
  readonly each: Eval
  readonly slug: string
}

function Actions({ each, slug }: ActionsProps): ReactNode {
  const { id, progress } = each
  const [cancels, setCancels] = useState(false)
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const act = useAct(cancelEval, { changes: [getEval, listEvals], onDone: () => setCancels(false) })
  return (
    <Group gap={8}>
      {progress.done > 0 && (
        <Link to="/w/$slug/evals/$id/samples/$n" params={{ slug, id, n: '1' }} search={{}}>
          Read the samples
        </Link>
      )}
      {isUnderWay(each) && (
        <NotPermitted reason={reason}>
          {(disabled) => (
            <Button variant="default" disabled={disabled} onClick={() => setCancels(true)}>
              Cancel the eval
            </Button>
          )}
        </NotPermitted>
      )}
      <Confirm
        opened={cancels}
        onClose={() => setCancels(false)}
        title="Cancel this eval?"
        verb="Cancel the eval"
        isRunning={act.isPending}
        error={act.error}
        onConfirm={() => act.mutate({ params: { id } })}
      >
        <Text>No further sample is started. What it cost so far remains charged, and it cannot be continued.</Text>
      </Confirm>
    </Group>
  )
}
