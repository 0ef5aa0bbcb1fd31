/* Tests of exercise 07.1, the bucket builder: no ranks are needed. SPDX-License-Identifier: MIT */
#ifndef TESTS_LABS_LAB_07_BUCKETS_H
#define TESTS_LABS_LAB_07_BUCKETS_H

/* Each is the body of a test: grade_that says what is wrong. */
void lab_07_random_buckets(void);
void lab_07_first_bucket(void);
void lab_07_edges(void);
void lab_07_resnet50(void);

#endif
