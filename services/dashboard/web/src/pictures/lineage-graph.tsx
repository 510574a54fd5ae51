import type { VersionLineage } from '@ratchet/contracts/model-versions'
import type { ReactNode } from 'react'
import {
  knownText,
  type LineageLayout,
  lineageLayout,
  lineageSentence,
  nodeText,
  nodeWord,
  type PlacedNode,
} from './lineage-layout.ts'
import { Picture } from './picture.tsx'

const rowHeight = 56
const boxHeight = 40
/** On a narrower page the picture goes from top to bottom. */
const minColumnWidth = 110

/** Where a version comes from and where it went, from left to right, or from top to bottom on a phone. */
export function LineageGraph({ lineage }: { readonly lineage: VersionLineage }): ReactNode {
  const layout = lineageLayout(lineage)
  return (
    <Picture
      sentence={lineageSentence(lineage)}
      height={(width) => (isNarrow(layout, width) ? layout.nodes.length : layout.rows) * rowHeight}
      table={{
        columns: ['What', 'Id', 'Known of it', 'Came from'],
        rows: layout.nodes.map(({ node }) => [
          nodeWord(node),
          node.id,
          knownText(node),
          lineage.edges.flatMap(({ from, to }) => (to === node.id ? [from] : [])).join(', '),
        ]),
      }}
    >
      {(width) => <Drawing layout={layout} width={width} />}
    </Picture>
  )
}

function isNarrow({ columns }: LineageLayout, width: number): boolean {
  return width / columns < minColumnWidth
}

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
}

function Drawing({ layout, width }: { readonly layout: LineageLayout; readonly width: number }): ReactNode {
  const columnWidth = width / layout.columns
  const goesDown = isNarrow(layout, width)
  const order = layout.nodes.toSorted((left, right) => left.column - right.column || left.row - right.row)
  const boxOf = (placed: PlacedNode): Box =>
    goesDown
      ? { x: 0.5, y: order.indexOf(placed) * rowHeight + 4, width: width - 1 }
      : { x: placed.column * columnWidth + 4, y: placed.row * rowHeight + 4, width: columnWidth - 24 }
  return (
    <>
      {layout.edges.map(({ from, to }) => (
        <path
          key={`${from.node.id} ${to.node.id}`}
          d={goesDown ? downwards(boxOf(from), boxOf(to)) : sideways(boxOf(from), boxOf(to))}
          fill="none"
          stroke="var(--dimmed)"
        />
      ))}
      {order.map((placed) => (
        <NodeBox key={placed.node.id} placed={placed} box={boxOf(placed)} />
      ))}
    </>
  )
}

function sideways(from: Box, to: Box): string {
  const [startX, startY, endX, endY] = [from.x + from.width, from.y + boxHeight / 2, to.x, to.y + boxHeight / 2]
  const middle = (startX + endX) / 2
  return `M${startX} ${startY}C${middle} ${startY} ${middle} ${endY} ${endX} ${endY}`
}

function downwards(from: Box, to: Box): string {
  const x = from.x + 12
  return `M${x} ${from.y + boxHeight}L${x} ${to.y}`
}

function NodeBox({ placed: { node }, box }: { readonly placed: PlacedNode; readonly box: Box }): ReactNode {
  const isVersion = node.type === 'version'
  const room = Math.floor((box.width - 16) / 6)
  return (
    <g>
      <rect
        {...box}
        height={boxHeight}
        rx="6"
        fill="var(--surface)"
        stroke={isVersion ? 'var(--series-1)' : 'var(--dimmed)'}
        strokeWidth={isVersion ? 2 : 1}
      />
      <text x={box.x + 8} y={box.y + 16} style={{ fill: 'var(--text)' }}>
        {nodeWord(node)}
      </text>
      <text x={box.x + 8} y={box.y + 31}>
        {shortened(nodeText(node), room)}
      </text>
    </g>
  )
}

function shortened(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, Math.max(1, room - 1))}…`
}
