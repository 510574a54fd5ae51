import { Select, Stack } from '@mantine/core'
import { type FailureGroup, failureGroups, readFailures } from '@ratchet/contracts/failures'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useKeyNames } from '../../api/use-key-names.ts'
import { now } from '../../clock.ts'
import { outcomeText } from '../../kit/outcome-text.ts'
import { Page } from '../../kit/page.tsx'
import { SidePanel } from '../../kit/side-panel.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { FailedRequests } from './failed-requests.tsx'
import { FailureGroups } from './failure-groups.tsx'
import { FailurePictures } from './failure-pictures.tsx'
import styles from './failures.module.css'
import { failureDays } from './search.ts'

const route = getRouteApi('/w/$slug/logs/failures')
const dayMs = 86_400_000
const hourMs = 3_600_000

const groupWords: Record<FailureGroup, string> = {
  cause: 'Cause',
  model: 'Model',
  provider: 'Provider',
  key: 'API key',
  tag: 'Tag',
  alias: 'Alias',
  day: 'Day',
}

export function FailuresPage(): ReactNode {
  const { group_by: group = 'cause', days = '1', open } = route.useSearch()
  const groupBy = group as FailureGroup
  const navigate = useNavigate({ from: '/w/$slug/logs/failures' })
  const from = useMemo(() => new Date(Math.floor(now() / hourMs) * hourMs - Number(days) * dayMs).toISOString(), [days])
  const failures = useEndpoint(
    readFailures,
    { query: { group_by: groupBy, from } },
    { topics: ['logs'], keepsOld: true },
  )
  const keyNames = useKeyNames(true)
  const nameOf = (name: string | null) => {
    if (name === null) return groupBy === 'alias' || groupBy === 'tag' ? `no ${groupBy}` : 'not known'
    return groupBy === 'cause' ? outcomeText(name) : (keyNames.get(name) ?? name)
  }
  const change = (changed: Readonly<Record<string, string | undefined>>) =>
    void navigate({ search: (before) => ({ ...before, ...changed }) })
  return (
    <Page
      title="Failures"
      lead="Requests without a whole answer: why, since when, and what to do. Calls of judges and evals are on their own pages."
    >
      <div className={styles.controls}>
        <Select
          label="By"
          allowDeselect={false}
          data={failureGroups.map((value) => ({ value, label: groupWords[value] }))}
          value={groupBy}
          onChange={(next) => next !== null && change({ group_by: next, open: undefined, cause: undefined })}
        />
        <Select
          label="Period"
          allowDeselect={false}
          data={failureDays.map((value) => ({ value, label: value === '1' ? 'Last day' : `Last ${value} days` }))}
          value={days}
          onChange={(next) => next !== null && change({ days: next })}
        />
      </div>
      <Loaded query={failures}>
        {(data) => (
          <Stack gap={16}>
            <FailurePictures failures={data} onLeft={() => change({ group_by: 'cause', open: 'client_left' })} />
            <FailureGroups
              failures={data}
              header={groupWords[data.group_by]}
              nameOf={nameOf}
              onOpen={data.group_by === 'alias' ? undefined : (name) => change({ open: name })}
            />
          </Stack>
        )}
      </Loaded>
      <SidePanel
        title={open === undefined ? '' : `Requests: ${nameOf(open)}`}
        opened={open !== undefined}
        onClose={() => change({ open: undefined, cause: undefined })}
      >
        {open !== undefined && <FailedRequests groupBy={groupBy} group={open} from={from} keyNames={keyNames} />}
      </SidePanel>
    </Page>
  )
}
