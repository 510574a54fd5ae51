import type { AnyRoute } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import type { KeyCommand } from '../keys/commands.ts'
import type { IconName } from '../kit/icon.tsx'

/** An entry of the rail at the left, and of the palette. */
export interface RailEntry {
  readonly label: string
  /** Path below `/w/:slug`; empty for the home page. */
  readonly path: string
  readonly icon: IconName
  /** The letter that opens it after `g`. */
  readonly jump: string
  /** Place in the rail; entries are shown from the smallest to the largest. */
  readonly order: number
  /** Shown behind the label, such as the number of items that wait for the person. It reads its own data. */
  readonly Badge?: ComponentType
}

/** A part of the product: its pages and what it adds to the shell. */
export interface Feature<Routes extends readonly AnyRoute[] = readonly AnyRoute[]> {
  /** Routes below `/w/:slug` whose parent is `workspaceRoute`. */
  readonly routes: Routes
  readonly rail?: RailEntry
  /** Keys of its pages. */
  readonly commands?: readonly KeyCommand[]
  /** Shown in the top bar, such as the balance of the wallet. */
  readonly TopBarPart?: ComponentType
  /** Offers things in the palette by `usePaletteItems`, for what was typed; it shows nothing. */
  readonly PalettePart?: ComponentType<{ readonly query: string }>
}

/**
 * Declares a feature; the types of its routes are kept, so that links to them are checked. Routes are made above the call: made
 * inside it they would get the type of any route.
 */
export function defineFeature<const Routes extends readonly AnyRoute[]>(feature: Feature<Routes>): Feature<Routes> {
  return feature
}
