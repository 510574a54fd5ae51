import type { LaunchedObject, LaunchedPod } from './launched-state.ts'

/** A kind of object that starts trainers. */
export interface LaunchKind {
  readonly apiVersion: string
  readonly kind: string
}

/** An object as the cluster takes it. */
export interface ClusterObject extends LaunchKind {
  readonly metadata: { readonly name: string; readonly namespace: string }
}

/** What the worker needs of a Kubernetes API server. Everything is in one namespace. Each call may be repeated. */
export interface Cluster {
  /** @returns its uid, also when it was there before */
  create(object: ClusterObject): Promise<string>
  /** Those of this installation. */
  list(kind: LaunchKind): Promise<readonly LaunchedObject[]>
  /** Pods of the Jobs of this installation. */
  listPods(): Promise<readonly LaunchedPod[]>
  /** Its pods get SIGTERM and the time that their manifest gives them. Does nothing when there is none. */
  remove(kind: LaunchKind, name: string): Promise<void>
}
