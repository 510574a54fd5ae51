import { Select, Stack } from '@mantine/core'
import { readUsage, type UsageGroup, usageGroups } from '@ratchet/contracts/billing'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useKeyNames } from '../../../api/use-key-names.ts'
import { stringifySearch } from '../../../app/search.ts'
import { DownloadLink } from '../../../kit/download-link.tsx'
import { hoursAgo } from '../../../kit/hours-ago.ts'
import { moneyText } from '../../../kit/money.ts'
import { NextLink } from '../../../kit/next-link.tsx'
import { Card, Page } from '../../../kit/page.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { DataTable } from '../../../kit/table/data-table.tsx'
import { bucketsOf } from '../../../kit/time-buckets.ts'
import { StackedBars } from '../../../pictures/stacked-bars.tsx'
import styles from '../billing.module.css'
import { type UsageUnit, usageDays, usageUnits } from '../search.ts'
import { usageBars } from './usage-bars.ts'
import { usageColumns, usageRows } from './usage-rows.ts'

const route = getRouteApi('/w/$slug/billing/usage')

const groupWords: Record<UsageGroup, string> = {
  key: 'API key',
  user: 'End user',
  model: 'Model',
  tag: 'Tag',
  alias: 'Alias',
  purpose: 'Purpose',
  day: 'Day',
}

export function UsagePage(): ReactNode {
  const reason = reasonAgainst('owner', useWorkspace())
  const { group_by: groupBy, days = '30' } = route.useSearch()
  const from = useMemo(() => hoursAgo(24 * Number(days)), [days])
  const query = { group_by: (groupBy ?? 'model') as UsageGroup, from }
  const csv = `/session/usage${stringifySearch({ ...query, format: 'csv' })}`
  return (
    <Page
      title="Usage"
      lead="What charges were for. Every grouping adds up to what the ledger charged."
      actions={reason === null ? <DownloadLink path={csv}>Download as CSV</DownloadLink> : undefined}
    >
      {reason === null ? <UsageParts query={query} /> : <Notice state="none">{reason}</Notice>}
    </Page>
  )
}

interface UsagePartsProps {
  readonly query: { readonly group_by: UsageGroup; readonly from: string }
}

function UsageParts({ query }: UsagePartsProps): ReactNode {
  const { unit = 'day' } = route.useSearch()
  const { group_by: groupBy } = query
  const usage = useEndpoint(readUsage, { query }, { topics: ['wallet'], keepsOld: true })
  const keyNames = useKeyNames(groupBy === 'key')
  const without = groupBy === 'key' ? 'by the product or a person' : `without ${groupWords[groupBy].toLowerCase()}`
  const nameOf = (group: string | null) => (group === null ? without : (keyNames.get(group) ?? group))
  return (
    <>
      <UsageControls />
      <Loaded query={usage}>
        {(data) => {
          const shown = data.group_by
          if (data.series.length === 0) {
            return (
              <EmptyState
                title="No charges"
                action={<NextLink to="playground">Send a request from the playground</NextLink>}
              >
                Nothing was charged in this period.
              </EmptyState>
            )
          }
          const allDays = bucketsOf(data.from, data.to, 'day').map((at) => at.slice(0, 10))
          const chosen = { groupBy: shown, unit: unit as UsageUnit, allDays, nameOf }
          const { bars, series } = usageBars(data.series, chosen)
          const money = (nano: string) => moneyText(nano, { unit: 'nano' })
          return (
            <Stack gap={16}>
              <Card title={`Charged: ${moneyText(data.charges_nano, { unit: 'nano', exact: true })}`}>
                <StackedBars
                  title={`Charges by ${groupWords[shown].toLowerCase()}`}
                  {...{ bars, series }}
                  format={money}
                />
              </Card>
              <DataTable
                label="Usage"
                columns={usageColumns(groupWords[shown])}
                rows={usageRows(data, nameOf)}
                rowKey={({ key }) => key}
              />
            </Stack>
          )
        }}
      </Loaded>
    </>
  )
}

function UsageControls(): ReactNode {
  const { group_by: groupBy = 'model', days = '30', unit = 'day' } = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/billing/usage' })
  const change = (changed: Readonly<Record<string, string>>) =>
    void navigate({ search: (before) => ({ ...before, ...changed }) })
  return (
    <div className={styles.controls}>
      <Select
        label="By"
        allowDeselect={false}
        data={usageGroups.map((value) => ({ value, label: groupWords[value] }))}
        value={groupBy}
        onChange={(next) => next !== null && change({ group_by: next })}
      />
      <Select
        label="Period"
        allowDeselect={false}
        data={usageDays.map((value) => ({ value, label: `Last ${value} days` }))}
        value={days}
        onChange={(next) => next !== null && change({ days: next })}
      />
      <Select
        label="Bars"
        allowDeselect={false}
        data={usageUnits.map((value) => ({ value, label: `By ${value}` }))}
        value={unit}
        onChange={(next) => next !== null && change({ unit: next })}
      />
    </div>
  )
}
