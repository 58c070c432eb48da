"""The grader of the course: reads lessons, runs submissions apart, compares values, reports."""
