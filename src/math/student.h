// Student's t distribution.
#ifndef TD_STUDENT_H
#define TD_STUDENT_H

// The number t with P(|T| <= t) = level for `dof` degrees of freedom (at least 1).
double td_student(double level, double dof);

#endif
