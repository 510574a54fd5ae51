import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { parseAllDocuments } from 'yaml'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { findProgram } from '../processes/find-program.ts'
import type { KubeObject } from './kube-object.ts'

export const manifestsFolder: string = path.join(repositoryRoot, 'k8s')

export type Render = (folder: string) => readonly KubeObject[]

/** Finds a program that renders a kustomization; null on a machine without kubectl and kustomize. */
export function findRenderer(): Render | null {
  const kubectl = findProgram('kubectl')
  const program = kubectl ?? findProgram('kustomize')
  if (program === null) return null
  return rendererOf(program, kubectl === null ? 'build' : 'kustomize')
}

/** @param verb the command of the program that prints a kustomization */
export function rendererOf(program: string, verb: 'build' | 'kustomize'): Render {
  const render = (folder: string) =>
    parseObjects(execFileSync(program, [verb, folder], { encoding: 'utf8', maxBuffer: 32 * 1024 ** 2 }))
  return (folder) => (isInside(manifestsFolder, folder) ? renderOnce(folder, render) : render(folder))
}

/** Folders of the repository do not change while a process runs; rendering one takes half a second. */
const rendered = new Map<string, readonly KubeObject[]>()

function renderOnce(folder: string, render: Render): readonly KubeObject[] {
  const objects = rendered.get(folder) ?? render(folder)
  rendered.set(folder, objects)
  return structuredClone(objects)
}

function isInside(outer: string, folder: string): boolean {
  return path.resolve(folder).startsWith(outer + path.sep)
}

/** Parses the objects of a YAML stream. @throws Error that names the invalid line */
export function parseObjects(text: string): readonly KubeObject[] {
  return parseAllDocuments(text).map((document) => {
    const [error] = document.errors
    if (error !== undefined) throw error
    return document.toJS() as KubeObject
  })
}
