import { exportLogs, listLogs } from '@ratchet/contracts/logs'
import { listSegments } from '@ratchet/contracts/segments'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { useEndpoint, useList } from '../../api/use-endpoint.ts'
import { DownloadLink } from '../../kit/download-link.tsx'
import { FilterBar } from '../../kit/filters/filter-bar.tsx'
import { count } from '../../kit/numbers.ts'
import { Page } from '../../kit/page.tsx'
import { SavedViews } from '../../kit/saved-views.tsx'
import { errorKindOf } from '../../kit/states/error-kind.ts'
import { chosenColumns } from '../../kit/table/column.ts'
import { ColumnMenu } from '../../kit/table/column-menu.tsx'
import { ListTable } from '../../kit/table/list-table.tsx'
import { EmptyLogs } from './empty-logs.tsx'
import { logColumns } from './log-columns.tsx'
import { LogPanel } from './log-panel.tsx'
import styles from './logs.module.css'
import { filtersOf, logFilterSchema } from './search.ts'
import { TimeScrubber } from './time-scrubber.tsx'
import type { Days } from './time-window.ts'
import { useMarks } from './use-marks.ts'
import { valueInputs } from './value-input.tsx'

const route = getRouteApi('/w/$slug/logs')
const maxExported = 10_000

/** Find an exchange, see it, grade it. */
export function LogsPage(): ReactNode {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/logs' })
  const change = (changed: Readonly<Record<string, string | undefined>>, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace })
  const filters = filtersOf(search)
  const logs = useList(listLogs, { query: { ...filters, content: 'none' }, topics: ['logs'] })
  const rows = useShownLogs(logs.rows)
  const page = logs.data?.pages[0] as { readonly total: number; readonly total_is_exact: boolean } | undefined
  const isOff = errorKindOf(logs.error).kind === 'logging-off'
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  return (
    <Page title="Logs" lead="Logged exchanges, newest first.">
      <FilterBar
        schema={logFilterSchema}
        values={search}
        onChange={change}
        fields={valueInputs}
        textOf={(name, value) => (name === 'segment' ? (labelsOf(rows).get(value) ?? value) : value)}
      >
        <SavedViews page="logs" search={filters} onChoose={(view) => change({ ...filtersOf({}), ...view })} />
        <DownloadLink path={exportLogs.path} query={filters} file="logs.jsonl" detail={exportDetail(page)}>
          Export
        </DownloadLink>
        <ColumnMenu columns={logColumns} chosen={search.columns} onChoose={(columns) => change({ columns }, true)} />
      </FilterBar>
      {!isOff && (rows.length > 0 || isFiltered) && (
        <TimeScrubber days={(search.days as Days | undefined) ?? '7'} filters={filters} onChange={change} />
      )}
      {page !== undefined && rows.length > 0 && <div className={styles.count}>{totalText(page)}</div>}
      <ListTable
        label="Log entries"
        list={{ ...logs, rows, error: isOff ? null : logs.error }}
        columns={chosenColumns(logColumns, search.columns)}
        rowKey={({ id }) => id}
        openKey={search.log}
        onOpen={({ id }) => change({ log: id }, search.log !== undefined)}
        onMove={search.log === undefined ? undefined : ({ id }) => change({ log: id }, true)}
        empty={<EmptyLogs isFiltered={isFiltered} isOff={isOff} onClear={() => change(filtersOf({}))} />}
      />
      <LogPanel search={search} change={change} mark={rows.find(({ id }) => id === search.log)?.mark} />
    </Page>
  )
}

type Rows = ReturnType<typeof useShownLogs>

/** The entries with what other endpoints know about them. */
function useShownLogs(logs: ReturnType<typeof useList<typeof listLogs>>['rows']) {
  const marks = useMarks(useMemo(() => logs.map(({ id }) => id), [logs]))
  const segments = useEndpoint(listSegments, { query: { limit: 200 } }).data?.data
  return useMemo(() => {
    const labels = new Map(segments?.map(({ segment, label }) => [segment, label]))
    return logs.map((log) => ({
      ...log,
      mark: marks.get(log.id),
      segmentLabel: labels.get(log.segment) ?? log.segment,
    }))
  }, [logs, marks, segments])
}

function labelsOf(rows: Rows): ReadonlyMap<string, string> {
  return new Map(rows.map(({ segment, segmentLabel }) => [segment, segmentLabel]))
}

function totalText({ total, total_is_exact: isExact }: { readonly total: number; readonly total_is_exact: boolean }) {
  return isExact ? `${count(total)} entries` : `${count(total)}+ entries`
}

function exportDetail(page: { readonly total: number; readonly total_is_exact: boolean } | undefined): string {
  if (page === undefined) return ''
  const lines = page.total_is_exact && page.total <= maxExported ? count(page.total) : `at most ${count(maxExported)}`
  return `JSON lines of ${lines} entries, the newest first`
}
