export {}

declare global {
  namespace Express {
    /** What the fleet's middleware adds to every request. */
    interface Request {
      /** The request's id, on every answer and log line. */
      id: string
      /** Low-cardinality name for metrics: the route's pattern, set by whoever matched it. */
      routeName?: string
    }
  }
}
