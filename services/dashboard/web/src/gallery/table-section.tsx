import { Button } from '@mantine/core'
import { listLogs } from '@ratchet/contracts/logs'
import { type ReactNode, useState } from 'react'
import type { z } from 'zod'
import { FilterBar } from '../kit/filters/filter-bar.tsx'
import { moneyText } from '../kit/money.ts'
import { Card } from '../kit/page.tsx'
import { SidePanel } from '../kit/side-panel.tsx'
import { type Column, chosenColumns } from '../kit/table/column.ts'
import { ColumnMenu } from '../kit/table/column-menu.tsx'
import { DataTable } from '../kit/table/data-table.tsx'
import { duration } from '../kit/time.ts'
import { type GalleryRow, galleryRows } from './samples.ts'

const columns: readonly Column<GalleryRow>[] = [
  { id: 'id', header: 'Id', cell: ({ id }) => <span className="code">{id}</span>, isFixed: true },
  { id: 'model', header: 'Model', cell: ({ model }) => model },
  { id: 'tag', header: 'Tag', cell: ({ tag }) => tag, onPhone: false },
  { id: 'cost', header: 'Cost', cell: ({ cost }) => moneyText(cost), isNumber: true },
  { id: 'ms', header: 'Time', cell: ({ ms }) => duration(ms), isNumber: true, isExtra: true },
]
const few = galleryRows(6)

export function TableSection(): ReactNode {
  const [filters, setFilters] = useState<Readonly<Record<string, string | undefined>>>({ tag: 'support' })
  const [chosen, setChosen] = useState<string | undefined>()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [rows, setRows] = useState(few)
  const [open, setOpen] = useState<GalleryRow | null>(null)
  const select = (key: string, isSelected: boolean) => {
    const others = [...selected].filter((each) => each !== key)
    setSelected(new Set(isSelected ? [...others, key] : others))
  }
  return (
    <Card title="Table" actions={<Button onClick={() => setRows(galleryRows(5_000))}>5,000 rows</Button>}>
      <FilterBar
        schema={listLogs.query as z.ZodObject}
        values={filters}
        onChange={(changed) => setFilters({ ...filters, ...changed })}
      >
        <ColumnMenu columns={columns} chosen={chosen} onChoose={setChosen} />
      </FilterBar>
      <div style={{ height: 12 }} />
      <DataTable
        label="Rows of the gallery"
        columns={chosenColumns(columns, chosen)}
        rows={rows}
        rowKey={({ id }) => id}
        selected={selected}
        onSelect={select}
        onOpen={setOpen}
      />
      <SidePanel title={open?.id ?? ''} opened={open !== null} onClose={() => setOpen(null)}>
        <p>{open?.model}</p>
      </SidePanel>
    </Card>
  )
}
