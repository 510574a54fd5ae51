import { Button, Select, Stack } from '@mantine/core'
import { readStatement, type Statement } from '@ratchet/contracts/billing'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { z } from 'zod'
import { useWorkspace } from '../../api/me.ts'
import { reasonAgainst } from '../../api/rights.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { now } from '../../clock.ts'
import { DownloadLink } from '../../kit/download-link.tsx'
import { moneyText } from '../../kit/money.ts'
import { Card, Page } from '../../kit/page.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { Notice } from '../../kit/states/notice.tsx'
import type { Column } from '../../kit/table/column.ts'
import { DataTable } from '../../kit/table/data-table.tsx'
import { exactTime } from '../../kit/time.ts'
import styles from './billing.module.css'
import { lastMonths } from './months.ts'
import { usageColumns, usageRows } from './usage/usage-rows.ts'

const route = getRouteApi('/w/$slug/billing/statements')

export function StatementPage(): ReactNode {
  const workspace = useWorkspace()
  const reason = reasonAgainst('owner', workspace)
  const [months] = useState(() => lastMonths(now()))
  const { month = months[0] ?? '' } = route.useSearch()
  const actions = (
    <div className={styles.controls}>
      <DownloadLink path={`/session/statements/${month}?format=csv`}>Download as CSV</DownloadLink>
      <Button variant="default" onClick={() => window.print()}>
        Print
      </Button>
    </div>
  )
  return (
    <Page
      title={`Statement of ${month}`}
      lead={`${workspace.name}. Months begin and end at midnight UTC.`}
      actions={reason === null ? actions : undefined}
    >
      {reason === null ? <StatementParts month={month} months={months} /> : <Notice state="none">{reason}</Notice>}
    </Page>
  )
}

interface StatementPartsProps {
  readonly month: string
  readonly months: readonly string[]
}

function StatementParts({ month, months }: StatementPartsProps): ReactNode {
  const navigate = useNavigate({ from: '/w/$slug/billing/statements' })
  const statement = useEndpoint(readStatement, { params: { month } }, { keepsOld: true })
  return (
    <>
      <div className={styles.controls}>
        <Select
          label="Month"
          allowDeselect={false}
          data={months.includes(month) ? [...months] : [month, ...months]}
          value={month}
          onChange={(next) => next !== null && void navigate({ search: { month: next } })}
        />
      </div>
      <Loaded query={statement}>
        {(data) => (
          <Stack gap={16}>
            <Sums statement={data} />
            {data.credits.length > 0 && (
              <DataTable
                label="Credits"
                columns={creditColumns}
                rows={data.credits}
                rowKey={({ at, reference }) => `${at} ${reference}`}
              />
            )}
            {data.corrections.length > 0 && (
              <DataTable
                label="Corrections"
                columns={correctionColumns}
                rows={data.corrections}
                rowKey={({ at, reference }) => `${at} ${reference}`}
              />
            )}
            <DataTable
              label="Charges by model"
              columns={usageColumns('Charges by model')}
              rows={usageRows(data.usage, (group) => group ?? 'without a model')}
              rowKey={({ key }) => key}
            />
          </Stack>
        )}
      </Loaded>
    </>
  )
}

type StatementReply = z.output<typeof Statement>

const money = (nano: string) => moneyText(nano, { unit: 'nano', exact: true })

/** The equation of the month. */
function Sums({ statement }: { readonly statement: StatementReply }): ReactNode {
  const { opening_nano: opening, credits_nano: credits, charges_nano: charges, closing_nano: closing } = statement
  const corrections =
    statement.corrections.length > 0 ? [['+ Corrections', money(statement.corrections_nano)] as const] : []
  const lines = [
    ['Opening balance', money(opening)],
    ['+ Credits', money(credits)],
    ...corrections,
    ['− Charges', money(charges)],
    ['= Closing balance', money(closing)],
  ] as const
  return (
    <Card>
      <dl className={styles.equation}>
        {lines.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

const creditColumns = columnsOf('Credits')
const correctionColumns = columnsOf('Corrections')

function columnsOf(what: string): readonly Column<StatementReply['credits'][number]>[] {
  return [
    { id: 'at', header: what, cell: ({ at }) => exactTime(at) },
    { id: 'reference', header: 'Reference', cell: ({ reference }) => <span className="code">{reference}</span> },
    { id: 'amount', header: 'Amount', isNumber: true, cell: ({ amount_nano: amount }) => money(amount) },
  ]
}
